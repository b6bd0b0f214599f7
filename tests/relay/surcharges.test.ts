// What costs a provider's account more than callers are billed: left out and named, unless the channel allows it.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const allowed = '{"allow_surcharges":true}';
const claude = { path: '/v1/messages', type: 14 };
const openai = { path: '/v1/chat/completions', type: 1 };
const custom = { path: openai.path, type: 8 };
const openRouter = { path: openai.path, type: 20 };
const betas = 'tools-2026-01-01, fast-mode-2026-02-01,context-1m-2025-08-07 , Other-2026-03-01';

describe.each(oneEngine)('surcharges, on $kind', (engine) => {
  const ask = async (
    { path, type }: typeof openai,
    {
      fields = {},
      headers = {},
      setting = '',
      settings = {},
    }: Partial<Record<'fields' | 'headers' | 'settings', object>> & { setting?: string },
  ) => {
    await using scene = await createScene(engine, { channels: [{ type, setting }], settings: { ...settings } });
    const body = { model: testModel, max_tokens: 20, messages, ...fields };
    const answer = await scene.post(path, body, { 'accept-language': 'en', 'anthropic-version': '2023-06-01', ...headers });
    const text = await answer.text();
    const [row] = await scene.logs(1);
    await scene.checkBooks();
    return {
      status: answer.status,
      text,
      sent: scene.upstream.requests.at(-1),
      dropped: answer.headers.get('x-tidegate-dropped'),
      logged: row?.other?.['dropped_fields'],
    };
  };

  const paid = [
    { what: 'a fast tier', at: openai, fields: { service_tier: 'priority' } },
    { what: 'a tier of an unknown kind', at: openai, fields: { service_tier: { a: 1 } } },
    { what: 'a fast tier of Claude', at: claude, fields: { service_tier: 'priority' } },
    { what: 'speed', at: claude, fields: { speed: 'fast' } },
    { what: 'another model where the first declines', at: claude, fields: { fallbacks: [{ model: 'claude-opus-4-6' }] } },
    { what: 'somebody else who is billed', at: claude, fields: { billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } } },
    { what: 'whichever model the provider chooses then', at: claude, fields: { fallbacks: 'default' } },
    ...[openRouter, openai, custom, claude].flatMap((at) =>
      ['models', 'plugins', 'route', 'preset', 'provider', 'fallbacks', 'model_list', 'api_base', 'providerOptions'].map((name) => ({
        what: `${name} of a gateway, by type ${at.type} at ${at.path},`,
        at,
        fields: { [name]: [{ id: 'web' }] },
      })),
    ),
    { what: 'a model in fields that a gateway adds', at: openai, fields: { extra_body: { model: 'gpt-4o', google: {} } } },
  ];

  test.each(paid)('$what is left out and named', async ({ at, fields }) => {
    const { status, sent, dropped, logged } = await ask(at, { fields });
    const names = Object.keys(fields);
    expect(status).toBe(200);
    expect(Object.keys(sent?.body ?? {})).not.toEqual(expect.arrayContaining(names));
    expect(sent?.body).toMatchObject({ messages });
    expect(dropped).toBe(names.join(', '));
    expect(logged).toEqual(names);
  });

  test.each([
    { path: '/v1/responses', fields: { input: 'Hi' }, format: 'openai-responses' },
    { path: '/v1/embeddings', fields: { input: 'Hi' }, format: 'openai-chat' },
    { path: '/v1/images/generations', fields: { prompt: 'Hi' }, format: 'openai-chat' },
  ])('a gateway behind $path gets no other model, unless the channel allows it', async ({ path, fields, format }) => {
    const others = { models: ['o3-pro'], fallbacks: ['o3-pro'], extra_body: { model: 'o3-pro' } };
    for (const allows of [false, true]) {
      const setting = JSON.stringify({ formats: [format], ...(allows ? { allow_surcharges: true } : {}) });
      await using scene = await createScene(engine, { channels: [{ type: 1, setting }] });
      const response = await scene.post(path, { model: testModel, ...fields, ...others });
      await response.text();
      const { body, text } = scene.upstream.requests.at(-1) ?? {};
      expect(body).toMatchObject(allows ? { ...fields, ...others } : fields);
      expect(text?.includes('o3-pro')).toBe(allows);
      expect(response.headers.get('x-tidegate-dropped')).toBe(allows ? null : Object.keys(others).join(', '));
    }
  });

  test.each(['', allowed])('a program that the provider has let its account into is the operator’s to open (%s)', async (extra) => {
    const setting = JSON.stringify({ formats: ['openai-responses'], ...(extra === '' ? {} : { allow_surcharges: true }) });
    await using scene = await createScene(engine, { channels: [{ type: 1, setting }] });
    const access = async (cyber: string) => {
      const response = await scene.post('/v1/responses', { model: testModel, input: 'Hi', access_programs: { cyber } });
      await response.text();
      return [scene.upstream.requests.at(-1)?.body, response.headers.get('x-tidegate-dropped')];
    };
    const cyber = 'daybreak_red';
    expect(await access(cyber)).toMatchObject(
      extra === '' ? [{ access_programs: {} }, 'access_programs.cyber'] : [{ access_programs: { cyber } }, null],
    );
    expect(scene.upstream.requests.at(-1)?.text.includes(cyber)).toBe(extra !== '');
    expect(await access('standard')).toMatchObject([{ access_programs: { cyber: 'standard' } }, null]);
  });

  test.each(paid)('$what passes where the channel allows it', async ({ at, fields }) => {
    const { sent, dropped } = await ask(at, { fields, setting: allowed });
    expect(sent?.body).toMatchObject(fields);
    expect(dropped).toBeNull();
  });

  test.each([
    { at: openai, fields: { service_tier: 'flex' } },
    { at: openai, fields: { service_tier: null } },
    { at: openai, fields: { models: null } },
    { at: openai, fields: { extra_body: { google: { thinking_config: { include_thoughts: true } } } } },
    { at: claude, fields: { service_tier: 'standard_only', speed: 'standard', inference_geo: 'global' } },
  ])('$fields costs nothing more and passes', async ({ at, fields }) => {
    const { sent, dropped } = await ask(at, { fields });
    expect(sent?.body).toMatchObject(fields);
    expect(dropped).toBeNull();
  });

  test('where the provider is to compute is not left out: such a call is refused, unless the channel allows it', async () => {
    const fields = { inference_geo: 'us' };
    const { status, text, sent } = await ask(claude, { fields });
    expect(status).toBe(400);
    expect(text).toContain('inference_geo');
    expect(sent).toBeUndefined();
    expect((await ask(claude, { fields, setting: allowed })).sent?.body).toMatchObject(fields);
  });

  test('betas that cost more are left out of their header, the others stay as they are', async () => {
    const { sent, dropped } = await ask(claude, { headers: { 'anthropic-beta': betas } });
    expect(sent?.headers['anthropic-beta']).toBe('tools-2026-01-01, Other-2026-03-01');
    expect(dropped).toBe('anthropic-beta: fast-mode-2026-02-01, anthropic-beta: context-1m-2025-08-07');
    expect((await ask(claude, { headers: { 'anthropic-beta': 'fast-mode-2026-02-01' } })).sent?.headers['anthropic-beta']).toBeUndefined();
    expect((await ask(claude, { headers: { 'anthropic-beta': betas }, setting: allowed })).sent?.headers['anthropic-beta']).toBe(betas);
    const plain = 'a-2026-01-01 ,b-2026-01-01,  c-2026-01-01';
    expect((await ask(claude, { headers: { 'anthropic-beta': plain } })).sent?.headers['anthropic-beta']).toBe(plain);
  });

  test('nor do they stand in the body, where hosts of the format look for them', async () => {
    const list = ['fast-mode-2026-02-01', ' Context-1M-2025-08-07', 'tools-2026-01-01'];
    // The vendor itself refuses the field.
    expect((await ask(claude, { fields: { anthropic_beta: list } })).sent?.body).toHaveProperty('anthropic_beta', ['tools-2026-01-01']);
    for (const odd of ['context-1m-2025-08-07', [['context-1m-2025-08-07']], list.slice(0, 2)])
      expect((await ask(claude, { fields: { anthropic_beta: odd } })).sent?.body).not.toHaveProperty('anthropic_beta');
    expect((await ask(claude, { fields: { anthropic_beta: list }, setting: allowed })).sent?.body).toMatchObject({ anthropic_beta: list });
  });

  test('what passes through keeps everything', async () => {
    const settings = { 'global.pass_through_request_enabled': 'true' };
    const { sent, dropped } = await ask(claude, { fields: { speed: 'fast' }, headers: { 'anthropic-beta': betas }, settings });
    expect(sent?.body).toMatchObject({ speed: 'fast' });
    expect(sent?.headers['anthropic-beta']).toBe(betas);
    expect(dropped).toBeNull();
  });
});
