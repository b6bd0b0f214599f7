// What a session may cost by its key: the call after the budget is reached ends with 402, in the words of its format.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, readEvents, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const settings = { SelfUseModeEnabled: 'true', ModelRatio: `{"${testModel}":500,"claude-sonnet-4-5":500}` };
const channels = [{}, { type: 14, models: 'claude-sonnet-4-5' }];
const options: SceneOptions = { settings, channels };

/** A key whose sessions may cost that much. */
async function keyOf(scene: RelayScene, budget: number) {
  const { key, token } = await scene.addToken({ session_budget: budget, name: 'agents' });
  const headers = (session?: string) => ({
    authorization: `Bearer ${key}`,
    'accept-language': 'en',
    ...(session === undefined ? {} : { 'x-session-id': session }),
  });
  return { token, headers };
}

describe.each(engines)('a budget per session on $kind', (engine) => {
  it('lets a session go on until it is reached; other sessions and calls without one are not bound', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await keyOf(scene, 1);
    const stream = await scene.chat({ stream: true }, headers('s1'));
    expect(stream.status).toBe(200);
    // The first call went beyond it, and was not cut.
    expect((await readEvents(stream)).at(-1)).toBe('[DONE]');
    const refused = await scene.chat({}, headers('s1'));
    expect(refused.status).toBe(402);
    const { error } = await refused.json();
    expect(error).toMatchObject({ code: 'session_budget_reached' });
    expect(error.message).toMatch(
      /^This session has spent \$[\d.]+, which reaches the budget of \$0\.000002 per session of the key 'agents'/,
    );
    for (const session of ['s2', undefined, undefined]) expect((await scene.chat({}, headers(session))).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(4);
    // The log reports the refusal, and nothing is held.
    await until(async () => (await scene.app.context.db.collection('logs').count({ type: 5 })) === 1);
    await scene.checkBooks();
  });

  it('each format has its own words', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await keyOf(scene, 1);
    await (await scene.chat({}, headers('s'))).text();
    const messages = [{ role: 'user', content: 'Say hello' }];
    const claude = await scene.post('/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 9, messages }, headers('s'));
    expect([claude.status, await claude.json()]).toMatchObject([402, { type: 'error', error: { type: 'billing_error' } }]);
    const responses = await scene.post('/v1/responses', { model: testModel, input: 'x', stream: true }, headers('s'));
    expect([responses.status, await responses.json()]).toMatchObject([402, { error: { code: 'session_budget_reached' } }]);
    const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
    const gemini = await scene.post(`/v1beta/models/${testModel}:generateContent`, { contents }, headers('s'));
    expect([gemini.status, await gemini.json()]).toMatchObject([402, { error: { code: 402, status: 'FAILED_PRECONDITION' } }]);
    const zh = await scene.chat({}, { ...headers('s'), 'accept-language': 'zh' });
    expect((await zh.json()).error.message).toMatch(/^本次会话已花费 \$[\d.]+，达到令牌“agents”的单会话预算 \$0\.000002/);
  });

  it('running calls are reckoned with: no more begin than may be paid for', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await keyOf(scene, 1);
    scene.upstream.behave({ holdAfter: 1 });
    const first = await scene.chat({ stream: true }, headers('s'));
    expect(first.status).toBe(200);
    const others = await Promise.all(Array.from({ length: 8 }, () => scene.chat({}, headers('s'))));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 429));
    expect(others[0]?.headers.get('retry-after')).toBe('2');
    expect((await others[0]?.json())?.error.code).toBe('session_budget_held');
    for (const request of scene.upstream.requests) request.release();
    await first.text();
    expect((await scene.chat({}, headers('s'))).status).toBe(402);
    await scene.checkBooks();
  });

  it('calls that ask at the same time do not overtake it', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await keyOf(scene, 1);
    const answers = await Promise.all(Array.from({ length: 12 }, () => scene.chat({}, headers('s'))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('a call that failed for nothing takes nothing of it', async () => {
    await using scene = await createScene(engine, options);
    const { headers } = await keyOf(scene, 1);
    scene.upstream.behave({ status: 500 });
    for (let turn = 0; turn < 3; turn += 1) expect((await scene.chat({}, headers('s'))).status).toBe(500);
    scene.upstream.behave({});
    expect((await scene.chat({}, headers('s'))).status).toBe(200);
    expect((await scene.chat({}, headers('s'))).status).toBe(402);
  });

  it.each([
    [
      'Claude',
      '/v1/messages',
      { context_management: { edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 100 } }] } },
    ],
    ['Responses', '/v1/responses', { context_management: [{ type: 'compaction', compact_threshold: 100 }] }],
  ])('a summary on the way of a call is a part of it, as %s asks for one', async (_format, path, requested) => {
    await using scene = await createScene(engine, options);
    const { headers } = await keyOf(scene, 1);
    const turns = [
      { role: 'user', content: 'About tides. '.repeat(200) },
      { role: 'assistant', content: 'Noon.' },
      { role: 'user', content: 'And then?' },
    ];
    const prompt = path === '/v1/messages' ? { max_tokens: 50, messages: turns } : { input: turns };
    const body = { model: testModel, ...prompt, ...requested };
    const answer = await scene.post(path, body, headers('s'));
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"compaction"')]);
    expect(await scene.logs(2)).toHaveLength(2);
    // Both have cost the session something, and nothing of it is held.
    expect((await scene.post(path, body, headers('s'))).status).toBe(402);
    await scene.checkBooks();
  });

  it('what another process settled counts, and so does what was given back', async () => {
    await using scene = await createScene(engine, options);
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const { headers } = await keyOf(scene, 1);
    await (await scene.chat({}, headers('s'))).text();
    await scene.app.context.ledger.sessionSettled();
    const elsewhere = () =>
      fetch(`${second.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers('s') },
        body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Say hello' }] }),
      });
    expect((await elsewhere()).status).toBe(402);
    const admin = await scene.app.setup();
    const [row] = await scene.logs(1);
    const refund = { amount: row?.quota, reason: 'empty', ref: 'refund-all' };
    expect(await admin.post(`/api/log/${row?.id}/refund`, refund)).toMatchObject({ success: true });
    expect((await elsewhere()).status).toBe(200);
  });

  it('is a field of the token: set, read, changed by its revision, and in force at once', async () => {
    await using scene = await createScene(engine, options);
    const owner = await scene.app.as(scene.user);
    const created = await owner.post('/api/token/', { name: 'bounded', unlimited_quota: true, session_budget: 1 });
    const [token] = created.data;
    expect(token).toMatchObject({ session_budget: 1 });
    const headers = { authorization: `Bearer sk-${token.key}`, 'x-session-id': randomUUID() };
    expect((await scene.chat({}, headers)).status).toBe(200);
    expect((await scene.chat({}, headers)).status).toBe(402);
    const edit = (fields: object) => owner.put('/api/token/', { id: token.id, ...fields });
    expect(await edit({ session_budget: 0, revision: token.revision })).toMatchObject({ data: { session_budget: 0 } });
    expect(await edit({ session_budget: 5, revision: token.revision })).toMatchObject({ code: 'revision_conflict' });
    await until(async () => (await scene.chat({}, headers)).status === 200);
    expect(await edit({ session_budget: -1 })).toMatchObject({ success: false });
    // An edit that says nothing of it leaves it.
    await edit({ session_budget: 9 });
    expect(await edit({ name: 'renamed' })).toMatchObject({ data: { session_budget: 9 } });
  });
});
