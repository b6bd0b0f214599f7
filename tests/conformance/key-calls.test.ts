// Every call except the console's: API clients, payment services and monitoring. A route without a row fails the build, and each row is
// called by strangers, a banned owner and the owner.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleCalls, nameOf } from '#tests/conformance/console-calls.ts';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** `key`: a token of API clients; `session`: of the console; `anyone`: no proof of who calls, or one of its own. */
type Callers = 'key' | 'session' | 'anyone';

/** With the status that strangers receive. `:mode` and similar match anything. */
const calls: readonly [callers: Callers, route: string, refusal: number][] = [
  ['key', 'GET /dashboard/billing/subscription', 401],
  ['key', 'GET /dashboard/billing/usage', 401],
  ['key', 'GET /v1/dashboard/billing/subscription', 401],
  ['key', 'GET /v1/dashboard/billing/usage', 401],
  ['key', 'GET /v1/usage', 401],
  ['key', 'GET /v1/key', 401],
  ['key', 'GET /key/info', 401],
  ['key', 'GET /user/info', 401],
  ['key', 'GET /v2/user/info', 401],
  ['key', 'POST /v1/chat/completions', 401],
  ['key', 'POST /v1/completions', 401],
  ['key', 'POST /v1/fim/completions', 401],
  ['key', 'POST /v1/embeddings', 401],
  ['key', 'POST /v1/engines/:model+/embeddings', 401],
  ['key', 'POST /v1/images/generations', 401],
  ['key', 'POST /v1/images/edits', 401],
  ['key', 'POST /v1/images/variations', 401],
  ['key', 'POST /v1/audio/speech', 401],
  ['key', 'POST /v1/audio/transcriptions', 401],
  ['key', 'POST /v1/audio/translations', 401],
  ['key', 'POST /v1/moderations', 401],
  ['key', 'POST /v1/rerank', 401],
  ['key', 'POST /v2/rerank', 401],
  ['key', 'POST /v1/messages', 401],
  ['key', 'POST /v1/messages/count_tokens', 401],
  ['key', 'POST /v1/responses', 401],
  ['key', 'POST /v1/responses/input_tokens', 401],
  ['key', 'POST /v1/responses/compact', 401],
  ['key', 'GET /v1/responses/:response', 401],
  ['key', 'POST /v1/conversations', 401],
  ['key', 'GET /v1/conversations/:conversation', 401],
  ['key', 'POST /v1/conversations/:conversation', 401],
  ['key', 'DELETE /v1/conversations/:conversation', 401],
  ['key', 'GET /v1/conversations/:conversation/items', 401],
  ['key', 'POST /v1/conversations/:conversation/items', 401],
  ['key', 'GET /v1/conversations/:conversation/items/:item', 401],
  ['key', 'DELETE /v1/conversations/:conversation/items/:item', 401],
  ['key', 'DELETE /v1/responses/:response', 401],
  ['key', 'POST /v1/files', 401],
  ['key', 'GET /v1/files', 401],
  ['key', 'GET /v1/files/:file', 401],
  ['key', 'GET /v1/files/:file/content', 401],
  ['key', 'DELETE /v1/files/:file', 401],
  ['key', 'POST /v1/messages/batches', 401],
  ['key', 'GET /v1/messages/batches', 401],
  ['key', 'GET /v1/messages/batches/:batch', 401],
  ['key', 'DELETE /v1/messages/batches/:batch', 401],
  ['key', 'POST /v1/messages/batches/:batch/cancel', 401],
  ['key', 'GET /v1/messages/batches/:batch/results', 401],
  ['key', 'POST /v1/uploads', 401],
  ['key', 'POST /v1/uploads/:upload/parts', 401],
  ['key', 'POST /v1/uploads/:upload/complete', 401],
  ['key', 'POST /v1/uploads/:upload/cancel', 401],
  ['key', 'POST /v1/vector_stores', 401],
  ['key', 'GET /v1/vector_stores', 401],
  ['key', 'GET /v1/vector_stores/:store', 401],
  ['key', 'POST /v1/vector_stores/:store', 401],
  ['key', 'DELETE /v1/vector_stores/:store', 401],
  ['key', 'POST /v1/vector_stores/:store/search', 401],
  ['key', 'POST /v1/vector_stores/:store/files', 401],
  ['key', 'GET /v1/vector_stores/:store/files', 401],
  ['key', 'GET /v1/vector_stores/:store/files/:file', 401],
  ['key', 'POST /v1/vector_stores/:store/files/:file', 401],
  ['key', 'DELETE /v1/vector_stores/:store/files/:file', 401],
  ['key', 'GET /v1/vector_stores/:store/files/:file/content', 401],
  ['key', 'POST /v1/vector_stores/:store/file_batches', 401],
  ['key', 'GET /v1/vector_stores/:store/file_batches/:batch', 401],
  ['key', 'POST /v1/vector_stores/:store/file_batches/:batch/cancel', 401],
  ['key', 'GET /v1/vector_stores/:store/file_batches/:batch/files', 401],
  ['key', 'POST /v1/batches', 401],
  ['key', 'GET /v1/batches', 401],
  ['key', 'GET /v1/batches/:batch', 401],
  ['key', 'POST /v1/batches/:batch/cancel', 401],
  ['key', 'POST /v1/fine_tuning/jobs', 401],
  ['key', 'GET /v1/fine_tuning/jobs', 401],
  ['key', 'GET /v1/fine_tuning/jobs/:job', 401],
  ['key', 'POST /v1/fine_tuning/jobs/:job/cancel', 401],
  ['key', 'POST /v1/fine_tuning/jobs/:job/pause', 401],
  ['key', 'POST /v1/fine_tuning/jobs/:job/resume', 401],
  ['key', 'GET /v1/fine_tuning/jobs/:job/events', 401],
  ['key', 'GET /v1/fine_tuning/jobs/:job/checkpoints', 401],
  ['key', 'DELETE /v1/models/:model+', 401],
  ['key', 'POST /v1/realtime/client_secrets', 401],
  ['key', 'POST /v1/realtime/sessions', 401],
  ['key', 'POST /v1/realtime/transcription_sessions', 401],
  ['key', 'DELETE /v1/messages/:message', 401],
  ['key', 'GET /v1/responses/:response/input_items', 401],
  ['key', 'POST /v1/responses/:response/cancel', 401],
  ...['/v1/interactions', '/v1beta/interactions'].flatMap((path): typeof calls => [
    ['key', `POST ${path}`, 401],
    ['key', `GET ${path}/:interaction`, 401],
    ['key', `DELETE ${path}/:interaction`, 401],
    ['key', `POST ${path}/:interaction/cancel`, 401],
  ]),
  ['key', 'POST /v1/models/:model+', 401],
  ['key', 'POST /v1/tunedModels/:model+', 401],
  ['key', 'POST /v1beta/models/:model+', 401],
  ['key', 'POST /v1beta/tunedModels/:model+', 401],
  ['key', 'GET /v1beta/models', 401],
  ['key', 'GET /v1beta/models/:model+', 401],
  ...['/v1', '/v1beta'].flatMap((path): typeof calls => [
    ['key', `GET ${path}/models/:model+/operations/:operation`, 401],
    ['key', `GET /download${path}/files/:file`, 401],
    ['key', `POST ${path}/cachedContents`, 401],
    ['key', `GET ${path}/cachedContents`, 401],
    ['key', `GET ${path}/cachedContents/:cache`, 401],
    ['key', `PATCH ${path}/cachedContents/:cache`, 401],
    ['key', `DELETE ${path}/cachedContents/:cache`, 401],
  ]),
  // Below `/v1`, Gemini's headers select the format.
  ['anyone', 'POST /v1/batches/:batch', 501],
  ['anyone', 'DELETE /v1/batches/:batch', 501],
  ['key', 'POST /v1beta/batches/:batch', 401],
  ['key', 'DELETE /v1beta/batches/:batch', 401],
  ['key', 'GET /v1/files/:file[:]download', 401],
  ['key', 'GET /v1beta/files/:file', 401],
  ['key', 'GET /v1beta/batches', 401],
  ['key', 'GET /v1beta/batches/:batch', 401],
  ['key', 'GET /v1/models', 401],
  ['key', 'GET /v1/models/:model+', 401],
  ['key', 'POST /mj/submit/:kind', 401],
  ['key', 'POST /mj/insight-face/swap', 401],
  ['key', 'GET /mj/task/:mj/fetch', 401],
  ['key', 'POST /mj/task/list-by-condition', 401],
  ['key', 'GET /mj/task/:mj/image-seed', 401],
  ['key', 'POST /:mode/mj/submit/:kind', 401],
  ['key', 'POST /:mode/mj/insight-face/swap', 401],
  ['key', 'GET /:mode/mj/task/:mj/fetch', 401],
  ['key', 'POST /:mode/mj/task/list-by-condition', 401],
  ['key', 'GET /:mode/mj/task/:mj/image-seed', 401],
  ['key', 'POST /v1/videos', 401],
  ['key', 'GET /v1/videos', 401],
  ['key', 'GET /v1/videos/:video', 401],
  ['key', 'DELETE /v1/videos/:video', 401],
  ['key', 'GET /v1/videos/:video/content', 401],
  ['key', 'POST /v1/videos/:video/remix', 401],
  ['key', 'POST /v1/video/generations', 401],
  ['key', 'GET /v1/video/generations/:video', 401],
  ['key', 'POST /kling/v1/videos/text2video', 401],
  ['key', 'GET /kling/v1/videos/text2video/:video', 401],
  ['key', 'POST /kling/v1/videos/image2video', 401],
  ['key', 'GET /kling/v1/videos/image2video/:video', 401],
  ['key', 'POST /jimeng', 401],
  ['key', 'POST /suno/submit/:action', 401],
  ['key', 'POST /suno/fetch', 401],
  ['key', 'GET /suno/fetch/:task', 401],
  ['session', 'POST /pg/chat/completions', 401],
  ['session', 'POST /pg/messages', 401],
  ['session', 'POST /pg/responses', 401],
  ['session', 'POST /pg/v1beta/models/:model+', 401],
  ['session', 'GET /pg/tasks/:id/content', 401],
  ['session', 'POST /pg/videos', 401],
  ['session', 'POST /pg/images/generations', 401],
  ['session', 'POST /pg/images/edits', 401],
  ['session', 'POST /pg/audio/speech', 401],
  ['session', 'POST /pg/audio/transcriptions', 401],
  ['session', 'POST /pg/audio/translations', 401],
  // An image has an unguessable name; a notice carries the secret of its task or a signature.
  ['anyone', 'GET /mj/image/:mj', 400],
  ['anyone', 'GET /:mode/mj/image/:mj', 400],
  ['anyone', 'GET /suno/image/:task/:clip', 400],
  ['anyone', 'POST /mj/notify', 400],
  ['anyone', 'POST /:mode/mj/notify', 400],
  ['anyone', 'POST /mj/notify/:task/:secret', 400],
  ['anyone', 'GET /api/user/epay/notify', 200],
  ['anyone', 'POST /api/user/epay/notify', 200],
  ['anyone', 'GET /api/openapi.json', 200],
  ['anyone', 'GET /api/as_code/schema.json', 200],
  // The status page is off unless the site turns it on.
  ['anyone', 'GET /status.json', 404],
  ['anyone', 'GET /status.rss', 404],
  ['anyone', 'GET /healthz', 200],
  ['anyone', 'GET /.well-known/oauth-authorization-server', 200],
  // Without a code there is no key.
  ['anyone', 'POST /oauth/token', 400],
  ['anyone', 'POST /oauth/device_authorization', 400],
  ['anyone', 'POST /v1/auth/keys', 400],
  ['anyone', 'GET /v1/auth/keys', 405],
  ['anyone', 'GET /setup.sh', 200],
  ['anyone', 'GET /setup.ps1', 200],
  // Without the token of an organisation (`tests/http/scim.test.ts`).
  ['anyone', 'GET /scim/v2/ServiceProviderConfig', 401],
  ['anyone', 'GET /scim/v2/ResourceTypes', 401],
  ['anyone', 'GET /scim/v2/ResourceTypes/:name', 401],
  ['anyone', 'GET /scim/v2/Schemas', 401],
  ['anyone', 'GET /scim/v2/Schemas/:name', 401],
  ['anyone', 'GET /scim/v2/Users', 401],
  ['anyone', 'POST /scim/v2/Users', 401],
  ['anyone', 'POST /scim/v2/Users/.search', 401],
  ['anyone', 'POST /scim/v2/Groups/.search', 401],
  ['anyone', 'GET /scim/v2/Users/:user', 401],
  ['anyone', 'PUT /scim/v2/Users/:user', 401],
  ['anyone', 'PATCH /scim/v2/Users/:user', 401],
  ['anyone', 'DELETE /scim/v2/Users/:user', 401],
  ['anyone', 'GET /scim/v2/Groups', 401],
  ['anyone', 'POST /scim/v2/Groups', 401],
  ['anyone', 'GET /scim/v2/Groups/:group', 401],
  ['anyone', 'PUT /scim/v2/Groups/:group', 401],
  ['anyone', 'PATCH /scim/v2/Groups/:group', 401],
  ['anyone', 'DELETE /scim/v2/Groups/:group', 401],
  ['anyone', 'GET /scim/v2/:rest+', 401],
  ['anyone', 'POST /scim/v2/:rest+', 401],
  ['anyone', 'PUT /scim/v2/:rest+', 401],
  ['anyone', 'PATCH /scim/v2/:rest+', 401],
  ['anyone', 'DELETE /scim/v2/:rest+', 401],
  ['anyone', 'GET /livez', 200],
  ['anyone', 'GET /readyz', 200],
  // Without METRICS_TOKEN there is none.
  ['anyone', 'GET /metrics', 404],
  ['anyone', 'GET /v1/responses', 426],
  ['anyone', 'GET /v1/realtime', 426],
  ['anyone', 'GET /api/hello', 204],
  ['anyone', 'HEAD /api/hello', 204],
  ['anyone', 'GET /logo', 404],
  ['anyone', 'HEAD /logo', 404],
];

const bodies: Readonly<Record<string, unknown>> = {
  // There is no channel that could take one.
  'POST /v1/vector_stores': { name: 1 },
  'POST /mj/submit/:kind': { prompt: 'a harbour' },
  'POST /:mode/mj/submit/:kind': { prompt: 'a harbour' },
};
/** Behind the model's name. */
const verbs: Readonly<Record<string, string>> = {
  'POST /pg/v1beta/models/:model+': ':streamGenerateContent',
  ...Object.fromEntries(
    ['/v1', '/v1beta'].flatMap((start) =>
      ['models', 'tunedModels'].map((folder) => [`POST ${start}/${folder}/:model+`, ':generateContent']),
    ),
  ),
};
const parts: Readonly<Record<string, string>> = {
  kind: 'imagine',
  action: 'music',
  mode: 'fast',
  'model+': 'gpt-4o',
  'rest+': 'guess',
  task: '999999',
  mj: '999999',
  id: '999999',
};

describe.each(oneEngine)('calls beside the console on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    for (const key of ['FilesPerUser', 'BatchesPerUser', 'ContextCachesPerUser', 'VectorStoresPerUser', 'FineTuningJobsPerUser'])
      expect(await root.put('/api/option/', { key, value: '5' })).toMatchObject({ success: true });
  });
  afterAll(() => app.close());

  async function send(route: string, headers: Record<string, string>) {
    const [method = '', path = ''] = route.split(' ');
    const url =
      app.origin +
      path.replaceAll(/:([a-z]+\+?)/g, (_part, name: string) => parts[name] ?? 'guess').replace('[:]', ':') +
      (verbs[route] ?? '');
    const body = method === 'GET' || method === 'HEAD' ? null : JSON.stringify(bodies[route] ?? {});
    const answer = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, body });
    return { status: answer.status, text: await answer.text() };
  }

  it('have a row each, and each row is mounted', () => {
    const ofConsole = new Set(consoleCalls.map((call) => nameOf(call).replaceAll(/\{(\w+)\}/g, ':$1')));
    const others = app.app.routes.filter((route) => !ofConsole.has(route));
    expect(others.toSorted()).toEqual(calls.map(([, route]) => route).toSorted());
    expect(app.app.routes).toHaveLength(ofConsole.size + calls.length);
  });

  it.each(calls)('%s: %s by strangers', async (callers, route, refusal) => {
    const wrong = { authorization: `Bearer sk-${'x'.repeat(48)}` };
    for (const headers of callers === 'key' ? [{}, wrong] : [{}]) {
      const answer = await send(route, headers);
      expect(answer.status, answer.text).toBe(refusal);
    }
  });

  const withKey = calls.filter(([callers]) => callers === 'key').map(([, route]) => route);
  it.each(withKey)('%s by the owner of a key, and once banned', async (route) => {
    const owner = await app.createUser({ quota: 1_000_000 });
    const { key } = await createToken(app.context, owner.id);
    const headers = { authorization: `Bearer ${key}` };
    const own = await send(route, headers);
    expect([401, 403], own.text).not.toContain(own.status);
    expect(own.status, own.text).toBeLessThan(500);
    expect(await root.post('/api/user/manage', { id: owner.id, action: 'disable' })).toMatchObject({ success: true });
    const banned = await send(route, headers);
    expect(banned.status, banned.text).toBe(403);
  });
});
