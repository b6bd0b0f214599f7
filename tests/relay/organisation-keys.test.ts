// Calls with keys of organisations: the header that names one, and the rule that nothing is stored.
import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const path = '/api/organisation/';

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 50_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 40_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const newKey = async (fields: object = {}) =>
    (await owner.post('/api/token/', { name: 'app', unlimited_quota: true, ...fields }, behalf)).data[0].key as string;
  return { id, owner, newKey };
}

describe.each(oneEngine)('keys of organisations on $kind', { concurrent: true }, (engine) => {
  it('the header must name the account of the key, unless it names an organisation of OpenAI', async () => {
    await using scene = await createScene(engine);
    const { id, newKey } = await buildOrganisation(scene);
    const [key, user] = [await newKey(), scene.user];
    const status = async (authorization: string, organisation: string) => {
      const response = await scene.chat({}, { authorization: `Bearer ${authorization}`, 'openai-organization': organisation });
      return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
    };
    for (const organisation of [`org-${id}`, '', 'org-AbCdEf1234', 'org-5x', 'other']) {
      expect(await status(`sk-${key}`, organisation), organisation).toEqual([200, undefined]);
    }
    const refused = [401, 'mismatched_organization'];
    expect(await status(`sk-${key}`, `org-${user.id}`)).toEqual(refused);
    expect(await status(`sk-${key}`, 'org-999999')).toEqual(refused);
    // A key of a person, with an organisation, and with the person's account.
    expect(await status(scene.key, `org-${id}`)).toEqual(refused);
    expect(await status(scene.key, `org-${user.id}`)).toEqual([200, undefined]);
    // In the format of the caller, and for stored objects and lists, too.
    const headers = { authorization: `Bearer ${scene.key}`, 'openai-organization': `org-${id}` };
    const claude = await scene.post(
      '/v1/messages',
      { model: testModel, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
      { ...headers, 'anthropic-version': '2023-06-01' },
    );
    expect(await claude.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    for (const to of ['/v1/models', '/v1/files', '/v1/responses/resp_1', '/v1/batches']) {
      expect((await fetch(scene.app.origin + to, { headers })).status, to).toBe(401);
    }
  });

  it('with the rule, nothing is stored, for keys of the organisation or of a team with it', async () => {
    await using scene = await createScene(engine, {
      settings: {
        FilesPerUser: '5',
        BatchesPerUser: '5',
        ContextCachesPerUser: '5',
        VectorStoresPerUser: '5',
        FineTuningJobsPerUser: '5',
        TaskEnabled: 'true',
      },
    });
    const { id, owner, newKey } = await buildOrganisation(scene);
    const { db } = scene.app.context;
    const team = (await owner.post(`${path}${id}/teams`, { name: 'Law', policy: { stores_nothing: true } })).data.id;
    const keys = { free: await newKey(), team: await newKey({ is_service: true, team_id: team }) };
    const as = (key: string) => ({ authorization: `Bearer sk-${key}` });
    const respond = async (key: string, fields: object = {}) => {
      const response = await scene.post('/v1/responses', { model: testModel, input: 'Say hello', ...fields }, as(key));
      return { status: response.status, body: (await response.json()) as { id: string; error?: { code: string; message: string } } };
    };
    const stored = async () => [
      await db.collection('responses').count({ user_id: id }, 100),
      await db.collection('idempotent_calls').count({}, 100),
    ];
    const before = await respond(keys.free);
    expect(before.status).toBe(200);
    expect(await stored()).toEqual([1, 0]);
    const ofStored = (key: string) => fetch(`${scene.app.origin}/v1/responses/${before.body.id}`, { headers: as(key) });
    expect((await ofStored(keys.free)).status).toBe(200);

    const check = async (key: string) => {
      const answers = [await respond(key), await respond(key, { store: true })];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      for (const { body } of answers)
        expect((await fetch(`${scene.app.origin}/v1/responses/${body.id}`, { headers: as(key) })).status).toBe(404);
      for (const fields of [
        { background: true },
        { previous_response_id: before.body.id },
        { conversation: 'conv_1' },
        { input: [{ type: 'item_reference', id: 'msg_1' }] },
      ]) {
        const { status, body } = await respond(key, fields);
        expect([status, body.error?.code], JSON.stringify(fields)).toEqual([400, 'responses_not_kept']);
      }
      const interaction = await scene.post(
        '/v1beta/interactions',
        { model: testModel, input: 'Hi', background: true },
        { 'x-goog-api-key': `sk-${key}`, authorization: '' },
      );
      expect(interaction.status).toBe(400);
      // A repetition with the same key of idempotency is a call of its own: its response would have to be stored.
      for (const count of [1, 2]) {
        const response = await scene.chat({}, { ...as(key), 'idempotency-key': 'once' });
        expect([count, response.status, response.headers.get('idempotent-replayed')]).toEqual([count, 200, null]);
      }
      expect((await scene.chat({ store: true }, as(key))).status).toBe(403);
      expect((await scene.chat({ store: false }, as(key))).status).toBe(200);
      const form = new FormData();
      form.set('purpose', 'user_data');
      form.set('file', new Blob(['words']), 'a.txt');
      const upload = await fetch(`${scene.app.origin}/v1/files`, { method: 'POST', headers: as(key), body: form });
      expect([upload.status, ((await upload.json()) as { error: { code: string } }).error.code]).toEqual([403, 'storing_denied']);
      for (const [to, body] of [
        ['/v1/uploads', { filename: 'a', purpose: 'user_data', bytes: 5, mime_type: 'text/plain' }],
        ['/v1/conversations', {}],
        ['/v1/batches', { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' }],
        ['/v1/messages/batches', { requests: [] }],
        ['/v1/fine_tuning/jobs', { model: testModel, training_file: 'file-1' }],
        ['/v1/vector_stores', { name: 'x' }],
        ['/v1beta/cachedContents', { model: `models/${testModel}` }],
        [`/v1beta/models/${testModel}:batchGenerateContent`, {}],
        ['/v1/videos', { model: 'sora-2', prompt: 'a harbour' }],
        ['/mj/submit/imagine', { prompt: 'a harbour' }],
        ['/suno/submit/music', { prompt: 'a harbour' }],
        ['/kling/v1/videos/text2video', { prompt: 'a harbour' }],
      ] as const) {
        const response = await scene.post(to, body, as(key));
        const text = await response.text();
        expect(response.status, `${to}: ${text}`).toBe(403);
        expect(text, to).toMatch(/this key stores nothing|不允许存储/);
      }
      // What was stored before can be read and deleted.
      for (const to of ['/v1/files', '/v1/batches', '/v1/vector_stores']) {
        expect((await fetch(scene.app.origin + to, { headers: as(key) })).status, to).toBe(200);
      }
    };

    await check(keys.team);
    expect(await stored()).toEqual([1, 0]);
    await owner.put(`${path}${id}`, { policy: { stores_nothing: true } });
    await until(async () => (await scene.chat({ store: true }, as(keys.free))).status === 403);
    await check(keys.free);
    expect(await stored()).toEqual([1, 0]);
    const removed = await fetch(`${scene.app.origin}/v1/responses/${before.body.id}`, { method: 'DELETE', headers: as(keys.free) });
    expect(removed.status).toBe(200);
    // Others are not concerned.
    expect((await respond(scene.key.replace('sk-', ''))).status).toBe(200);
    expect(await db.collection('responses').count({ user_id: scene.user.id }, 10)).toBe(1);
  });
});
