// What models write, where the site stops at blocked words: in each format, whole and streamed, wherever a word is cut.
import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import type { Behaviour } from '#tests/support/upstream-behaviour.ts';

const model = 'claude-sonnet-4-5';
const settings = { SelfUseModeEnabled: 'true', SensitiveWords: 'Contraband\n违禁词', StopOnSensitiveEnabled: 'true' };
const many = Array.from({ length: 30 }, (_, index) => `filler${index}`).join('\n');
/** The client's format, and the type of the channel that answers. */
const cases = oneEngine.flatMap((engine) =>
  ['/v1/chat/completions', '/v1/messages', '/v1/responses'].flatMap((path) =>
    [{ type: 1 }, { type: 14 }, { type: 1, setting: '{"formats":["openai-responses"]}' }].map((channel) => ({
      engine,
      kind: engine.kind,
      path,
      channel,
    })),
  ),
);

describe.each(cases)('blocked words in answers on $kind, asked at $path, of the channel $channel', ({ engine, path, channel }) => {
  const open = (more: Record<string, string> = {}) =>
    createScene(engine, { settings: { ...settings, ...more }, channels: [{ ...channel, models: model }] });
  const ask = (scene: RelayScene, stream: boolean) =>
    scene.post(
      path,
      path === '/v1/responses'
        ? { model, max_output_tokens: 200, input: 'What is in the hold?', stream }
        : { model, max_tokens: 200, messages: [{ role: 'user', content: 'What is in the hold?' }], stream },
    );
  const isChat = path === '/v1/chat/completions';

  /** Charged for what was written, once, and the channel is not blamed. */
  async function expectCharged(scene: RelayScene, tries = 1): Promise<void> {
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'blocked_words' });
    expect(row?.completion_tokens).toBeGreaterThan(0);
    expect(row?.quota).toBeGreaterThan(0);
    expect(await scene.balance()).toBe(500_000_000 - (row?.quota ?? 0));
    expect(scene.upstream.requests).toHaveLength(tries);
    await scene.checkBooks();
  }

  it.each([
    ['in one piece', ['Barrels of ', 'CONTRABAND', ' and rope', ' and tar']],
    ['over two pieces', ['Barrels of contra', 'band and rope', ' and tar']],
    ['letter by letter', [...'Barrels of contraband', ' and tar']],
    ['of another script', ['这里有违', '禁', '词。', ' and tar']],
    ['in the last piece', ['Barrels of ', 'contraband']],
  ])('a stream ends at a word %s', async (_where, pieces) => {
    for (const words of ['', `\n${many}`]) {
      await using scene = await open({ SensitiveWords: settings.SensitiveWords + words });
      scene.upstream.behave({ pieces });
      const response = await ask(scene, true);
      expect(response.status).toBe(200);
      const text = (await response.text()).toLowerCase();
      const last = text.trim().split('\n').at(-1)?.replace('data: ', '') ?? '{}';
      const reported: { error?: object; response?: { error: object } } = JSON.parse(last);
      expect(reported.error ?? reported.response?.error ?? reported).toMatchObject(
        isChat ? { code: 'output_blocked' } : { message: expect.stringContaining('the answer holds blocked words') },
      );
      // Neither the word nor what comes after it.
      expect(text).not.toContain('contraband');
      expect(text).not.toContain(' and tar');
      expect(text).not.toContain('[done]');
      await expectCharged(scene);
    }
  });

  it('a whole answer is not told, and is charged', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Barrels of contraband and rope' });
    const response = await ask(scene, false);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain('The answer holds blocked words');
    expect(text).not.toContain('contraband');
    expect(text).not.toContain('rope');
    await expectCharged(scene);
  });

  it.each<[string, Behaviour]>([
    ['thoughts', { reasoning: 'They hide contraband there', text: 'Rope.' }],
    ['what tools are called with', { toolCalls: [{ name: 'search', arguments: '{"for":"contraband"}' }] }],
  ])('%s are looked at, too', async (_what, behaviour) => {
    await using scene = await open();
    scene.upstream.behave(behaviour);
    expect(await (await ask(scene, true)).text()).toContain('The answer holds blocked words');
    await expectCharged(scene);
  });

  it('everything else goes by as it is', async () => {
    await using scene = await open();
    scene.upstream.behave({ pieces: ['contra', ' band', ' 违禁', '的词'] });
    expect(await (await ask(scene, true)).text()).not.toContain('blocked words');
    expect((await ask(scene, false)).status).toBe(200);
    const rows = await scene.logs(2);
    for (const row of rows) expect(row.other).not.toHaveProperty('ending');
    await scene.checkBooks();
  });

  it('off, an answer is nobody’s business', async () => {
    for (const off of ['StopOnSensitiveEnabled', 'CheckSensitiveEnabled']) {
      await using scene = await open({ [off]: 'false' });
      scene.upstream.behave({ text: 'Barrels of contraband' });
      expect(await (await ask(scene, true)).text()).toContain('contraband');
      expect((await ask(scene, false)).status).toBe(200);
    }
  });
});

describe.each(oneEngine)('blocked words in answers on $kind', (engine) => {
  const open = () => createScene(engine, { settings });

  it('texts of several choices are not taken for one', async () => {
    await using scene = await open();
    scene.upstream.behave({ pieces: ['band', 'contra'] });
    const stream = await (await scene.chat({ n: 2, stream: true })).text();
    expect(stream).toContain('[DONE]');
    expect((await scene.chat({ n: 2 })).status).toBe(200);
  });

  it('a long answer is looked at to its end, in steps', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: `${'word '.repeat(200_000)}contraband` });
    expect((await scene.chat()).status).toBe(400);
    scene.upstream.behave({ text: 'word '.repeat(200_000) });
    expect((await scene.chat()).status).toBe(200);
    await scene.checkBooks();
  });

  it('is off until somebody turns it on, which anybody may who sets words', async () => {
    await using scene = await createScene(engine, { settings: { SensitiveWords: 'contraband' } });
    scene.upstream.behave({ text: 'contraband' });
    expect((await scene.chat()).status).toBe(200);
    const root = await scene.app.setup();
    expect(await root.put('/api/option/', { key: 'StopOnSensitiveEnabled', value: 'true' })).toMatchObject({ success: true });
    expect((await scene.chat()).status).toBe(400);
  });
});
