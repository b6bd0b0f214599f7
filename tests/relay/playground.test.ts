// `POST /pg/chat/completions`: the console's own calls, paid by the signed-in user.
import { describe, expect, test } from 'vitest';
import { LogOther } from '#shared/logs.ts';
import { UserStatus } from '#shared/user.ts';
import type { Patch } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type Engine, oneEngine } from '#tests/support/engines.ts';
import { createSession } from '#tests/support/build-token.ts';
import { createScene, readEvents, type SceneOptions, setOption, testModel, until } from '#tests/support/relay-scene.ts';

const path = '/pg/chat/completions';
const messages = [{ role: 'user', content: 'Say hello' }];

async function createPlayground(engine: Engine, options: SceneOptions = {}) {
  const scene = await createScene(engine, options);
  const cookie = await createSession(scene.app.context, scene.user);
  const session = { cookie, 'new-api-user': String(scene.user.id), authorization: '' };
  return Object.assign(scene, {
    session,
    ask: (fields: Record<string, unknown> = {}, headers: Record<string, string> = session) =>
      scene.post(path, { model: testModel, messages, ...fields }, headers),
    fields: (fields: Patch<UserRecord>['set'] & object) =>
      scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: fields }),
  });
}

const groups = { GroupRatio: '{"default":1,"vip":2,"other":1,"gone":1}', UserUsableGroups: '{"vip":"VIP"}' };

describe.each(oneEngine)('the playground on $kind', (engine) => {
  test('an answer is charged to the user alone and logged under the name of the group', async () => {
    await using scene = await createPlayground(engine);
    const before = await scene.balance();
    const response = await scene.ask();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ user_id: scene.user.id, token_id: 0, token_name: 'playground-default', group: 'default' });
    expect(row?.quota).toBeGreaterThan(0);
    expect(row?.request_id).toBe(response.headers.get('x-oneapi-request-id'));
    expect(await scene.balance()).toBe(before - Number(row?.quota));
    expect(await scene.app.context.db.collection('tokens').get(scene.token.id)).toMatchObject({ used_quota: 0, accessed_time: 0 });
    await scene.checkBooks();
  });

  test('a stream ends with its marker when the charge is stored, and tells what was used', async () => {
    await using scene = await createPlayground(engine);
    const events = await readEvents(await scene.ask({ stream: true, stream_options: { include_usage: true } }));
    expect(events.at(-1)).toBe('[DONE]');
    const rows = await scene.app.context.db.collection('logs').find({ type: 2 });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.quota).toBeGreaterThan(0);
    const usage = JSON.parse(events.at(-2) ?? '').usage;
    expect(usage).toMatchObject({ prompt_tokens: rows[0]?.prompt_tokens, completion_tokens: rows[0]?.completion_tokens });
    await scene.checkBooks();
  });

  test.each([
    ['/pg/responses', { model: testModel, input: messages, store: false, stream: true }, 'response.completed'],
    ['/pg/messages', { model: testModel, messages, max_tokens: 50, stream: true }, 'message_stop'],
    [`/pg/v1beta/models/${testModel}:streamGenerateContent?alt=sse`, { contents: [{ parts: [{ text: 'Say hello' }] }] }, 'usageMetadata'],
  ])('%s is asked in its own format, in the group that the body names', async (formatPath, body, last) => {
    await using scene = await createPlayground(engine, { settings: groups, channels: [{ group: 'default,vip' }] });
    const response = await scene.post(formatPath, { ...body, group: 'vip' }, scene.session);
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.stringContaining(last)]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ user_id: scene.user.id, token_id: 0, token_name: 'playground-vip', group: 'vip' });
    expect(row?.request_id).toBe(response.headers.get('x-oneapi-request-id'));
    expect(row?.quota).toBeGreaterThan(0);
    expect(JSON.stringify(scene.upstream.requests[0]?.body)).not.toContain('vip');
    expect((await scene.post(formatPath, { ...body, group: 'other' }, scene.session)).status).toBe(403);
    expect((await scene.post(formatPath, body)).status).toBe(401);
    await scene.checkBooks();
  });

  test('a client that stops pays for what was made, and the call ends', async () => {
    await using scene = await createPlayground(engine);
    scene.upstream.behave({ text: 'one two three four five six', holdAfter: 3 });
    const stopping = new AbortController();
    const response = await fetch(`${scene.app.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: scene.session.cookie, 'new-api-user': scene.session['new-api-user'] },
      body: JSON.stringify({ model: testModel, messages, stream: true }),
      signal: stopping.signal,
    });
    await response.body?.getReader().read();
    stopping.abort();
    const [row] = await scene.logs(1);
    expect(LogOther.parse(row?.other).ending).toBe('client_closed');
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('upstream gets what the chat format knows, and no group', async () => {
    await using scene = await createPlayground(engine, { settings: groups });
    const marked = [{ id: '1', createAt: 5, status: 'complete', role: 'user', content: 'hi', name: 'mei' }];
    expect((await scene.ask({ messages: marked, group: '', seed: 7, made_up: true })).status).toBe(200);
    const sent = scene.upstream.requests.at(-1)?.body;
    expect(sent).toMatchObject({ messages: [{ role: 'user', content: 'hi', name: 'mei' }], seed: 7, made_up: true });
    expect(sent).not.toHaveProperty('messages.0.id');
    expect(sent).not.toHaveProperty('group');
  });

  test('large bodies are cleaned too, for every channel that is tried', async () => {
    await using scene = await createPlayground(engine, { channels: [{}, {}], settings: { RetryTimes: '1' } });
    scene.upstream.behave({ status: 500 }, { times: 1 });
    const content = 'long '.repeat(40_000);
    expect((await scene.ask({ messages: [{ id: 'x', role: 'user', content }], group: 'default' })).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(2);
    for (const { body } of scene.upstream.requests) {
      expect(body).toHaveProperty('messages.0.content', content);
      expect(body).not.toHaveProperty('messages.0.id');
      expect(body).not.toHaveProperty('group');
    }
    await scene.checkBooks();
  });

  test('a usable group is charged at its ratio; others are refused', async () => {
    await using scene = await createPlayground(engine, { settings: groups, channels: [{ group: 'default,vip,other,gone' }] });
    expect((await scene.ask()).status).toBe(200);
    expect((await scene.ask({ group: 'vip' })).status).toBe(200);
    const [own, vip] = await scene.logs(2);
    expect(vip).toMatchObject({ group: 'vip', token_name: 'playground-vip', other: { group_ratio: 2 } });
    expect(vip?.quota).toBeGreaterThan(Number(own?.quota));
    for (const group of ['other', '__proto__', 'constructor', 'no such group']) {
      const response = await scene.ask({ group }, { ...scene.session, 'accept-language': 'zh' });
      expect(response.status).toBe(403);
      expect((await response.json()).error).toEqual({
        message: '无权访问该分组',
        type: 'new_api_error',
        param: 'group',
        code: 'group_not_allowed',
      });
    }
    expect((await scene.ask({ group: 5 })).status).toBe(400);
    await setOption(scene.app, 'UserUsableGroups', '{"vip":"VIP","without ratio":"x"}');
    const deprecated = await scene.ask({ group: 'without ratio' });
    expect([deprecated.status, (await deprecated.json()).error.code]).toEqual([403, 'group_deprecated']);
    await setOption(scene.app, 'UserUsableGroups', '{}');
    expect((await scene.ask({ group: 'vip' })).status).toBe(403);
    await scene.fields({ group: 'vip' });
    expect((await scene.ask({ group: 'vip' })).status).toBe(200);
    await scene.checkBooks();
  });

  test('who is not signed in is told so as in every call of the console', async () => {
    await using scene = await createPlayground(engine);
    const { cookie } = scene.session;
    const key = `Bearer ${scene.key}`;
    const cases: [Record<string, string>, number, string][] = [
      [{ authorization: '' }, 401, 'not_logged_in'],
      [{ authorization: '', cookie }, 401, 'user_header_missing'],
      [{ authorization: '', cookie, 'new-api-user': '999' }, 401, 'user_header_mismatch'],
      [{ authorization: '', cookie, 'new-api-user': 'x' }, 401, 'user_header_malformed'],
      [{ authorization: key, 'new-api-user': String(scene.user.id) }, 401, 'access_token_invalid'],
    ];
    for (const [headers, status, code] of cases) {
      const response = await scene.ask({}, headers);
      expect(response.status, code).toBe(status);
      expect(await response.json()).toMatchObject({ success: false, code });
    }
    await scene.fields({ status: UserStatus.banned });
    expect(await (await scene.ask()).json()).toMatchObject({ success: false, code: 'user_banned' });
    await scene.fields({ status: UserStatus.active, DeletedAt: new Date(0).toISOString() });
    expect(await (await scene.ask()).json()).toMatchObject({ success: false, code: 'not_logged_in' });
    expect(scene.upstream.requests).toHaveLength(0);
    await scene.checkBooks();
  });

  test('an access token does not open it', async () => {
    await using scene = await createPlayground(engine);
    const accessToken = 'a'.repeat(32);
    await scene.fields({ access_token_hash: scene.app.context.secrets.hash(accessToken) });
    const response = await scene.ask({}, { authorization: accessToken, 'new-api-user': String(scene.user.id), 'accept-language': 'zh' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: '暂不支持使用 access token', type: 'invalid_request_error', param: '', code: 'access_token_not_supported' },
    });
  });

  test('a spent balance is refused before anything is asked, however many ask at once', async () => {
    await using scene = await createPlayground(engine, { quota: 200 });
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await scene.ask({ max_tokens: 100 })).status));
    for (let index = 0; index < 40; index += 1) statuses.push((await scene.ask({ max_tokens: 100 })).status);
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
    const response = await scene.ask({ max_tokens: 100 });
    expect(response.status).toBe(403);
    expect((await response.json()).error.code).toBe('insufficient_user_quota');
    expect(await scene.balance()).toBeGreaterThanOrEqual(0);
    expect(scene.upstream.requests).toHaveLength(statuses.filter((status) => status === 200).length);
    await scene.checkBooks();
  });

  test('the limits of model requests hold', async () => {
    await using scene = await createPlayground(engine, {
      settings: { ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '2', ModelRequestRateLimitDurationMinutes: '1' },
    });
    const statuses = [await scene.ask(), await scene.chat(), await scene.ask()].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test.each([
    ['zh', '请选择模型', '请求体不是合法的 JSON：第 1 行第 2 列'],
    ['en', 'Choose a model', 'The request body is not valid JSON: line 1, column 2'],
  ])('what is wrong with a call is told in the language of whoever sits there (%s)', async (language, unchosen, broken) => {
    await using scene = await createPlayground(engine);
    const reported = async (body: unknown) => {
      const answer = await scene.post(path, body, { ...scene.session, 'accept-language': language });
      return (await answer.json()).error;
    };
    expect(await reported({ messages, model: '' })).toEqual({
      message: unchosen,
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_required',
    });
    expect((await reported('{')).message).toContain(broken);
  });

  test('what is wrong with a call is told as on the way of keys, and the log of its user has it', async () => {
    await using scene = await createPlayground(engine);
    const code = async (body: unknown) => (await (await scene.post(path, body, scene.session)).json()).error.code;
    expect(await code('{')).toBe('invalid_json');
    expect(await code('[]')).toBe('invalid_request');
    expect(await code({ messages, model: '' })).toBe('model_required');
    expect(await code({ model: testModel, messages: 'x' })).not.toBeUndefined();
    expect(await code({ model: testModel, messages: [1, null] })).not.toBeUndefined();
    expect(await code({ model: 'no-such-model', messages })).toBe('model_not_found');
    const client = await scene.app.as(scene.user);
    const refused = async () => (await client.get('/api/log/self?result=refused')).data.items;
    const row = await until(async () => {
      const rows: { model_name: string; token_name: string }[] = await refused();
      return rows.find(({ model_name: model }) => model === 'no-such-model') ?? null;
    });
    expect(row.token_name).toBe('playground-default');
  });

  test('a session that is prolonged gets its cookie', async () => {
    await using scene = await createPlayground(engine);
    await scene.app.context.db.collection('sessions').patch(
      { user_id: scene.user.id },
      {
        set: {
          seen_at: Math.floor(scene.app.context.now() / 1000) - 2 * 86_400,
          expires_at: Math.floor(scene.app.context.now() / 1000) + 60,
        },
      },
    );
    const response = await scene.ask({ stream: true });
    expect(response.headers.get('set-cookie')).toContain('Max-Age=');
    await response.text();
    expect((await scene.ask()).headers.get('set-cookie')).toBeNull();
  });

  test('foreign pages may not read it', async () => {
    await using scene = await createPlayground(engine);
    const response = await scene.ask({}, { ...scene.session, origin: 'https://evil.example' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(`${scene.app.origin}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-headers': 'new-api-user' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(preflight.headers.get('access-control-allow-headers')).toBeNull();
  });
});
