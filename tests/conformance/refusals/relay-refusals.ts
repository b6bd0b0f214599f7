// Refusals of the relay: at its gate, of requests, of money, of upstreams.
import { connect } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { IdempotentCallRecord } from '#server/db/records/idempotent-call.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import type { Language } from '#shared/errors.ts';
import type { RateLimit } from '#shared/rate-limits.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import type { Behaviour } from '#tests/support/fake-upstream.ts';
import { createScene, readEvents, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { startFakeBatches } from '#tests/support/fake-batches.ts';
import { startFakeGeminiCaches } from '#tests/support/fake-gemini-caches.ts';
import { startFakeMessageBatches } from '#tests/support/fake-message-batches.ts';
import { startFakeStores } from '#tests/support/fake-stores.ts';
import { startFakeTuning } from '#tests/support/fake-tuning.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { connectSocket, RefusedSocket, type SocketClient } from '#tests/support/socket-client.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { until } from '#tests/support/until.ts';
import { type Refusal, type RefusalRows, type Reported, reportedByRelay } from './refusal.ts';

const path = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Say hello' }];

type Scene = (options: SceneOptions, work: (scene: RelayScene) => Promise<Reported>) => Promise<Reported>;

export interface RelayDesk {
  language: Language;
  /** A site of one row alone. */
  scene: Scene;
}

export const openRelayDesk = (language: Language): RelayDesk => ({
  language,
  async scene(options, work) {
    const settings = { RetryTimes: '0', ...options.settings };
    await using scene = await createScene(embeddedEngine, { ...options, settings });
    return await work(scene);
  },
});

/** A stored response. */
async function storedId(scene: RelayScene): Promise<string> {
  const response = await scene.post('/v1/responses', { model: testModel, input: 'Hi' });
  return String(((await response.json()) as { id: unknown }).id);
}

const readStored =
  (method: string, id: string) =>
  (desk: RelayDesk): Promise<Reported> =>
    desk.scene({}, async ({ app, key }) => {
      const headers = { ...speaking(desk), authorization: `Bearer ${key}` };
      return reportedOf(await fetch(`${app.origin}/v1/responses/${id}`, { method, headers }));
    });

/** Continues a response that has changed. */
const threadTurn = (thread: object) => ({ model: testModel, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], thread });

async function changedChain(desk: RelayDesk, set: Partial<StoredResponseRecord>): Promise<{ reported: Reported; id: string }> {
  let id = '';
  const reported = await desk.scene({}, async (scene) => {
    id = await storedId(scene);
    await scene.app.context.db.collection('responses').patch({ id }, { set });
    return reportedOf(await scene.post('/v1/responses', { model: testModel, input: 'Hi', previous_response_id: id }, speaking(desk)));
  });
  return { reported, id };
}

async function reportedOf(response: Response): Promise<Reported> {
  return reportedByRelay(response.status, await response.json());
}

/** The last event of a stream says what it is. */
async function reportedAtEnd(response: Response): Promise<Reported> {
  return reportedByRelay(response.status, JSON.parse((await readEvents(response)).at(-1) ?? '{}'));
}

const speaking = ({ language }: RelayDesk) => ({ 'accept-language': language });

interface Requesting {
  options?: SceneOptions;
  fields?: Record<string, unknown>;
  /** Of the key that the call comes with. */
  token?: Parameters<RelayScene['addToken']>[0];
}

/** One chat, and its refusal. */
const chat =
  ({ options = {}, fields = {}, token }: Requesting) =>
  (desk: RelayDesk): Promise<Reported> =>
    desk.scene(options, async (scene) => {
      const { key } = token === undefined ? scene : await scene.addToken(token);
      return reportedOf(await scene.chat(fields, { ...speaking(desk), authorization: `Bearer ${key}` }));
    });

/** A chat whose upstream behaves like that. */
const upstream = (behaviour: Behaviour) => (desk: RelayDesk) =>
  desk.scene({}, async (scene) => {
    scene.upstream.behave(behaviour);
    return reportedOf(await scene.chat({}, speaking(desk)));
  });

/** A stream that its upstream does not bring to an end. */
const stream =
  (behaviour: Behaviour, options: SceneOptions = {}) =>
  (desk: RelayDesk) =>
    desk.scene(options, async (scene) => {
      scene.upstream.behave({ text: 'one two three four five', ...behaviour });
      return { ...(await reportedAtEnd(await scene.chat({ stream: true }, speaking(desk)))) };
    });

/** A key of an administrator that names a channel. */
const pinned = (channel: (scene: RelayScene) => Promise<number> | number) => (desk: RelayDesk) =>
  desk.scene({}, async (scene) => {
    const admin = await scene.app.createUser({ role: 10, quota: 500_000_000 });
    const { key } = await createToken(scene.app.context, admin.id);
    const id = await channel(scene);
    return reportedOf(await scene.chat({}, { ...speaking(desk), authorization: `Bearer ${key}-${id}` }));
  });

const post =
  (at: string, body: unknown, options: SceneOptions = {}) =>
  (desk: RelayDesk) =>
    desk.scene(options, async (scene) => reportedOf(await scene.post(at, body, speaking(desk))));

/** The second of two calls. */
const second = (settings: Record<string, string>) => (desk: RelayDesk) =>
  desk.scene({ settings: { ModelRequestRateLimitEnabled: 'true', ...settings } }, async (scene) => {
    await (await scene.chat()).text();
    await scene.logs(1);
    return reportedOf(await scene.chat({}, speaking(desk)));
  });

/** A call of a key with a rate limit; the second one, where the first one may be made. */
const rateLimited =
  (limit: RateLimit, { isFirst = false, options = {} }: { isFirst?: boolean; options?: SceneOptions } = {}) =>
  (desk: RelayDesk) =>
    desk.scene(options, async (scene) => {
      scene.app.clock.freeze();
      const { key } = await scene.addToken({ rate_limits: JSON.stringify([limit]) });
      const headers = { ...speaking(desk), authorization: `Bearer ${key}` };
      if (!isFirst && limit.meter === 'parallel') scene.upstream.behave({ holdAfter: 1 });
      const first = isFirst ? null : await scene.chat({ stream: true }, headers);
      if (limit.meter !== 'parallel') await first?.text();
      const reported = await reportedOf(await scene.chat({}, headers));
      for (const request of scene.upstream.requests) request.release();
      await first?.text().catch(() => '');
      return reported;
    });

const thisKey = { zh: '此令牌', en: 'this key' };
const perMinute = { zh: '每分钟', en: 'minute' };

/** The second call of a session with a tiny budget, while the first one runs or after it. */
const budgeted = (runs: boolean) => (desk: RelayDesk) =>
  desk.scene({}, async (scene) => {
    const { key } = await scene.addToken({ name: 'agents', session_budget: 1 });
    const headers = { ...speaking(desk), authorization: `Bearer ${key}`, 'x-session-id': 's' };
    if (runs) scene.upstream.behave({ holdAfter: 1 });
    const first = await scene.chat({ stream: true }, headers);
    if (!runs) await first.text();
    const reported = await reportedOf(await scene.chat({}, headers));
    for (const request of scene.upstream.requests) request.release();
    if (runs) await first.text();
    return reported;
  });

/** A budget of one unit of quota. */
const tooSmall = { id: 'a', name: 'agents', amount: 1, period: 'once', starts: 'calendar', at_end: 'stop' };

/** The second call with an idempotency key, after the first one's record has changed. */
const repeated =
  ({ key = 'order', fields = {}, set }: { key?: string; fields?: object; set?: Partial<IdempotentCallRecord> }) =>
  (desk: RelayDesk): Promise<Reported> =>
    desk.scene({}, async (scene) => {
      await (await scene.chat({}, { 'idempotency-key': 'order' })).text();
      if (set !== undefined) await scene.app.context.db.collection('idempotent_calls').patch({ state: 'stored' }, { set });
      return reportedOf(await scene.chat({ ...fields }, { ...speaking(desk), 'idempotency-key': key }));
    });

/** The first error on a socket, in that queue if one is named. */
const onSocket =
  (work: (client: SocketClient, scene: RelayScene) => string | void) =>
  (desk: RelayDesk): Promise<Reported> =>
    desk.scene({}, async (scene) => {
      scene.upstream.behave({ firstByteDelay: Infinity });
      const headers = { ...speaking(desk), authorization: `Bearer ${scene.key}` };
      using client = await connectSocket(`${scene.app.origin}/v1/responses`, { headers });
      const streamId = work(client, scene) ?? undefined;
      const { status, ...body } = (await client.response(streamId)).at(-1) ?? {};
      return reportedByRelay(status, body);
    });

const ask = (client: SocketClient, fields: object = {}) =>
  client.send({ type: 'response.create', model: testModel, input: 'Hi', ...fields });

const named =
  (
    call: (desk: RelayDesk) => Promise<Reported>,
    details: NonNullable<Refusal['details']>,
    own: Omit<Refusal, 'reported' | 'details'> = {},
  ) =>
  async (desk: RelayDesk): Promise<Refusal> => ({ reported: await call(desk), details, ...own });

/** Large calls that are not answered, one after the other, until one is refused. */
async function fillBodies(scene: RelayScene, key: string, language: Language): Promise<Response> {
  const { context } = scene.app;
  const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'x'.repeat(7_500_000) }] });
  for (;;) {
    const before = context.bodies.bytes;
    const response = scene.post(path, body, { authorization: `Bearer ${key}`, 'accept-language': language });
    const isHeld = until(() => context.bodies.bytes >= before + 15_000_000).then(() => null);
    const refusal = await Promise.race([response, isHeld]);
    isHeld.catch(() => {});
    if (refusal !== null) return refusal;
    response.catch(() => {});
  }
}

const bodies = (ofServer: boolean) => (desk: RelayDesk) => {
  const env = { MAX_REQUEST_BODY_MB: '8', MAX_BODIES_PER_USER_MB: '1', MAX_BODIES_MB: '80' };
  return desk.scene({ env }, async (scene) => {
    scene.upstream.behave({ holdAfter: 0 });
    const first = await fillBodies(scene, scene.key, desk.language);
    const other = await createToken(scene.app.context, (await scene.app.createUser({ quota: 500_000_000 })).id);
    const reported = await reportedOf(ofServer ? await fillBodies(scene, other.key, desk.language) : first);
    for (const request of scene.upstream.requests) request.release();
    return reported;
  });
};

const cachedContents = [{ role: 'user', parts: [{ text: 'The tides of Brest.' }] }];
const withCaches: SceneOptions = {
  front: startFakeGeminiCaches,
  settings: { ContextCachesPerUser: '1', ContextCachePrice: '{"*":1}' },
};

function cache(desk: RelayDesk, scene: RelayScene): Promise<Response> {
  return scene.post('/v1beta/cachedContents', { model: `models/${testModel}`, contents: cachedContents, ttl: '60s' }, speaking(desk));
}

async function busyCache(desk: RelayDesk): Promise<{ reported: Reported; id: string }> {
  let id = '';
  const reported = await desk.scene(withCaches, async (scene) => {
    const { name } = await (await cache(desk, scene)).json();
    id = String(name).slice('cachedContents/'.length);
    await scene.app.context.db.collection('context_caches').patch({ id }, { set: { pending_until: 1 } });
    const headers = { authorization: `Bearer ${scene.key}`, ...speaking(desk) };
    return reportedOfGemini(await fetch(`${scene.app.origin}/v1beta/${name}`, { method: 'DELETE', headers }));
  });
  return { reported, id };
}

async function reportedOfGemini(response: Response): Promise<Reported> {
  const { error } = await response.json();
  return reportedByRelay(response.status, { error: { code: error.details[0].reason.toLowerCase(), message: error.message } });
}

const withBatches: SceneOptions = { front: startFakeBatches, settings: { FilesPerUser: '5', BatchesPerUser: '1' } };

/** One that is created, and then another. */
async function twoBatches(desk: RelayDesk, scene: RelayScene): Promise<Reported> {
  const { app, key } = scene;
  const form = new FormData();
  form.append('purpose', 'batch');
  const request = { custom_id: 'a', method: 'POST', url: path, body: { model: testModel, messages, max_tokens: 9 } };
  form.append('file', new Blob([JSON.stringify(request)]), 'tide.jsonl');
  const left = await fetch(`${app.origin}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form });
  const { id } = (await left.json()) as { id: string };
  const requested = { input_file_id: id, endpoint: path, completion_window: '24h' };
  await scene.post('/v1/batches', requested);
  return reportedOf(await scene.post('/v1/batches', requested, speaking(desk)));
}

/** One that has ended is to be cancelled. */
async function cancelledTwice(desk: RelayDesk): Promise<{ reported: Reported; id: string }> {
  let id = '';
  const reported = await desk.scene(withBatches, async (scene) => {
    await twoBatches(desk, scene);
    const batches = scene.app.context.db.collection('batches');
    id = (await batches.first({}))?.id ?? '';
    await batches.patch({ id }, { set: { status: 'completed' } });
    return reportedOf(await scene.post(`/v1/batches/${id}/cancel`, {}, speaking(desk)));
  });
  return { reported, id };
}

/** Requests the results of a batch that has not ended. */
async function runningMessages(desk: RelayDesk): Promise<{ reported: Reported; id: string }> {
  let id = '';
  const settings = { BatchesPerUser: '1', SelfUseModeEnabled: 'true' };
  const reported = await desk.scene(
    { front: startFakeMessageBatches, settings, channels: [{ models: 'claude-sonnet-5' }] },
    async (scene) => {
      const params = { model: 'claude-sonnet-5', max_tokens: 9, messages };
      const made = await scene.post('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
      ({ id } = (await made.json()) as { id: string });
      const headers = { ...speaking(desk), authorization: `Bearer ${scene.key}` };
      const requested = await fetch(`${scene.app.origin}/v1/messages/batches/${id}/results`, { headers });
      const { error } = (await requested.json()) as { error: { type: string; message: string } };
      return reportedByRelay(requested.status, { error: { code: error.type, message: error.message } });
    },
  );
  return { reported, id };
}

const withTuning: SceneOptions = {
  front: startFakeTuning,
  settings: {
    FilesPerUser: '5',
    FineTuningJobsPerUser: '1',
    FineTuningPrice: JSON.stringify({ [`training:${testModel}`]: 1, [`input:${testModel}`]: 1, [`output:${testModel}`]: 1 }),
  },
};
const aboutJob = (name: string) =>
  named(
    (desk) =>
      desk.scene(withTuning, async (scene) => reportedOf(await scene.post(`/v1/fine_tuning/jobs/${name}/cancel`, {}, speaking(desk)))),
    { id: name },
  );

async function tune(desk: RelayDesk, { app, key, ...scene }: RelayScene, model = testModel): Promise<Reported> {
  const form = new FormData();
  form.append('purpose', 'fine-tune');
  const example = { messages: [...messages, { role: 'assistant', content: 'Ahoy' }] };
  form.append('file', new Blob([Array.from({ length: 10 }, () => JSON.stringify(example)).join('\n')]), 'tide.jsonl');
  const left = await fetch(`${app.origin}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form });
  const { id } = (await left.json()) as { id: string };
  return reportedOf(await scene.post('/v1/fine_tuning/jobs', { model, training_file: id }, speaking(desk)));
}

/** Polls a job that has ended, or whose channel is gone. */
async function afterTuning(
  desk: RelayDesk,
  change: (scene: RelayScene, id: string) => Promise<void>,
  about: (id: string) => string,
): Promise<{ reported: Reported; id: string }> {
  let id = '';
  const reported = await desk.scene(withTuning, async (scene) => {
    await tune(desk, scene);
    id = (await scene.app.context.db.collection('tuning_jobs').first({}))?.id ?? '';
    await change(scene, id);
    const headers = { authorization: `Bearer ${scene.key}`, ...speaking(desk) };
    const method = about(id).endsWith('/cancel') ? 'POST' : 'GET';
    return reportedOf(await fetch(scene.app.origin + about(id), { method, headers }));
  });
  return { reported, id };
}

async function forgetChannels({ app }: RelayScene): Promise<void> {
  await app.context.db.collection('channels').remove({});
  await app.context.channels.reload();
}

const tunedModel = 'ft:tide::1';

async function goneModel(desk: RelayDesk): Promise<Reported> {
  return desk.scene({}, async (scene) => {
    const there = { channel_id: 99, key: 'of none', base: testModel, upstream_model: 'theirs', checkpoints: [], created_at: 1 };
    await scene.app.context.db
      .collection('tuned_models')
      .insert({ id: tunedModel, user_id: scene.user.id, job_id: 'ftjob-1', ...there, state: 'ready' });
    return reportedOf(await scene.chat({ model: tunedModel }, speaking(desk)));
  });
}

async function leaveFile(desk: RelayDesk, { app, key }: RelayScene, size: number): Promise<Reported> {
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob([new Uint8Array(size)]), 'tide.txt');
  const headers = { ...speaking(desk), authorization: `Bearer ${key}` };
  return reportedOf(await fetch(`${app.origin}/v1/files`, { method: 'POST', headers, body: form }));
}

const claude = { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 14, models: 'claude-sonnet-4-5' }] };
/** A chat in the playground, by the caller's credentials. */
const playground =
  (fields: object, proof: (scene: RelayScene) => Promise<Record<string, string>>) =>
  (desk: RelayDesk): Promise<Reported> =>
    desk.scene({}, async (scene) => {
      const headers = { ...speaking(desk), authorization: '', 'new-api-user': String(scene.user.id), ...(await proof(scene)) };
      return reportedOf(await scene.post('/pg/chat/completions', { model: testModel, messages, ...fields }, headers));
    });

const rich = { ModelRatio: JSON.stringify({ 'sea-1': 10 }), CompletionRatio: JSON.stringify({ 'sea-1': 1 }) };

export const relayRefusals = {
  async spool_failed(desk) {
    const reported = await desk.scene({ env: { SPOOL_DIR: import.meta.filename } }, async ({ app, key }) => {
      const form = new FormData();
      form.append('image', new Blob([new Uint8Array(1_000_000)]), 'tide.png');
      const headers = { ...speaking(desk), authorization: `Bearer ${key}` };
      return reportedOf(await fetch(`${app.origin}/v1/images/variations`, { method: 'POST', headers, body: form }));
    });
    return { reported, details: { reason: /its folder cannot be written|目录不可写/ } };
  },
  key_missing: (desk) => desk.scene({}, async (scene) => reportedOf(await scene.chat({}, { ...speaking(desk), authorization: '' }))),
  key_invalid: (desk) =>
    desk.scene({}, async (scene) => reportedOf(await scene.chat({}, { ...speaking(desk), authorization: 'Bearer sk-wrong' }))),
  key_exhausted: chat({ token: { quota: 0 } }),
  key_expired: chat({ token: { expired_time: 1 } }),
  key_replaced: (desk) =>
    desk.scene({}, async (scene) => {
      const { db, secrets } = scene.app.context;
      await db.collection('tokens').patch({ user_id: scene.user.id }, { set: { old_key_hash: secrets.hash('before'), old_key_until: 1 } });
      return reportedOf(await scene.chat({}, { ...speaking(desk), authorization: 'Bearer sk-before' }));
    }),
  key_disabled: chat({ token: { status: 2 } }),
  channel_pin_denied: (desk) =>
    desk.scene({}, async (scene) => reportedOf(await scene.chat({}, { ...speaking(desk), authorization: `Bearer ${scene.key}-1` }))),
  channel_pin_invalid: pinned(() => 999_999),
  channel_disabled: pinned((scene) => scene.addChannel({ status: 2 })),
  ip_denied: chat({ token: { allow_ips: '10.0.0.0/8' } }),
  token_group_disabled: named(chat({ token: { group: 'nobody' } }), { group: 'nobody' }),
  group_deprecated: named(
    chat({ token: { group: 'old' }, options: { settings: { UserUsableGroups: '{"default":"all","old":"gone"}' } } }),
    { group: 'old' },
  ),
  access_token_not_supported: playground({}, async (scene) => {
    const { data } = await (await scene.app.as(scene.user)).get('/api/user/token');
    return { authorization: data };
  }),
  group_not_allowed: playground({ group: 'closed' }, async ({ app, user }) => ({ cookie: await createSession(app.context, user) })),
  model_denied: named(chat({ token: { model_limits_enabled: true, model_limits: 'other' } }), { model: testModel }),
  no_channel: named(chat({ options: { channels: [{ status: 2 }] } }), { model: testModel, group: 'default' }),

  model_required: chat({ fields: { model: '' } }),
  invalid_text_request: chat({ fields: { messages: [] } }),
  invalid_embedding_request: post('/v1/embeddings', { model: testModel, input: '' }),
  invalid_query: post('/v1/rerank', { model: testModel, query: '', documents: ['a'] }),
  invalid_image_request: named(post('/v1/images/generations', { model: testModel, prompt: '' }), { detail: 'prompt is required' }),
  invalid_documents: post('/v1/rerank', { model: testModel, query: 'a', documents: [] }),
  invalid_request: named(post(path, '[]'), { detail: { zh: '请求体必须是 JSON 对象', en: 'the body must be a JSON object' } }),
  model_not_found: named(chat({ fields: { model: 'nobody-has-it' } }), { model: 'nobody-has-it' }),
  responses_not_kept: named(post('/v1/responses', { model: testModel, input: 'Hi', prompt: { id: 'pmpt_1' } }), { field: 'prompt' }),
  previous_response_not_found: named(post('/v1/responses', { model: testModel, input: 'Hi', previous_response_id: 'resp_1' }), {
    id: 'resp_1',
  }),
  response_item_not_found: named(post('/v1/responses', { model: testModel, input: [{ type: 'item_reference', id: 'msg_1' }] }), {
    id: 'msg_1',
  }),
  conversation_not_found: named(post('/v1/responses', { model: testModel, input: 'Hi', conversation: 'conv_1' }), { id: 'conv_1' }),
  conversation_locked: (desk) =>
    desk.scene({}, async (scene) => {
      const created = (await (await scene.post('/v1/conversations', {})).json()) as { id: string };
      const locked = { locked_by: 'another', locked_until: Number.MAX_SAFE_INTEGER };
      await scene.app.context.db.collection('conversations').patch({ id: created.id }, { set: locked });
      return reportedOf(await scene.post('/v1/responses', { model: testModel, input: 'Hi', conversation: created.id }, speaking(desk)));
    }),
  background_not_kept: post('/v1/responses', { model: testModel, input: 'Hi', background: true, store: false }),
  too_many_background: named(
    post('/v1/responses', { model: testModel, input: 'Hi', background: true }, { settings: { BackgroundResponsesPerUser: '0' } }),
    { count: 0 },
  ),
  response_not_found: named(readStored('GET', 'resp_1'), { id: 'resp_1' }),
  file_not_found: named(
    (desk) =>
      desk.scene({ settings: { FilesPerUser: '1' } }, async ({ app, key }) =>
        reportedOf(await fetch(`${app.origin}/v1/files/file-1`, { headers: { ...speaking(desk), authorization: `Bearer ${key}` } })),
      ),
    { id: 'file-1' },
  ),
  files_full: named(
    (desk) => desk.scene({ settings: { FilesPerUser: '1', FileMegabytesPerUser: '1' } }, (scene) => leaveFile(desk, scene, 1_100_000)),
    { count: 1, megabytes: 1 },
  ),
  no_file_channel: named(
    (desk) => desk.scene({ settings: { FilesPerUser: '1' }, channels: [{ type: 14 }] }, (scene) => leaveFile(desk, scene, 1)),
    { group: 'default' },
  ),
  batch_not_found: named(
    (desk) => desk.scene(withBatches, async (scene) => reportedOf(await scene.post('/v1/batches/batch_1/cancel', {}, speaking(desk)))),
    { id: 'batch_1' },
  ),
  batches_full: named((desk) => desk.scene(withBatches, (scene) => twoBatches(desk, scene)), { batches: 1, requests: 50_000 }),
  vector_store_not_found: named(
    (desk) =>
      desk.scene({ settings: { VectorStoresPerUser: '1' } }, async (scene) =>
        reportedOf(await scene.post('/v1/vector_stores/vs_1/search', { query: 'tide' }, speaking(desk))),
      ),
    { id: 'vs_1' },
  ),
  vector_stores_full: named(
    (desk) =>
      desk.scene({ front: startFakeStores, settings: { VectorStoresPerUser: '1' } }, async (scene) => {
        await scene.post('/v1/vector_stores', {});
        return reportedOf(await scene.post('/v1/vector_stores', {}, speaking(desk)));
      }),
    { count: 1, megabytes: 1000 },
  ),
  vector_store_of_other_key: named(
    (desk) =>
      desk.scene({ front: startFakeStores, settings: { VectorStoresPerUser: '1' } }, async (scene) => {
        const { id } = await (await scene.post('/v1/vector_stores', {})).json();
        const { key } = await scene.addToken({ quota: 1000 });
        const limited = { ...speaking(desk), authorization: `Bearer ${key}` };
        return reportedOf(await scene.post(`/v1/vector_stores/${id}/files`, { file_id: 'file-1' }, limited));
      }),
    {},
  ),
  named_file_out_of_reach: named(
    (desk) =>
      desk.scene({ front: startFakeStores, settings: { VectorStoresPerUser: '1' } }, async (scene) => {
        await scene.addChannel({ models: 'served-elsewhere' });
        const { id } = await (await scene.post('/v1/vector_stores', {})).json();
        const tools = [{ type: 'file_search', vector_store_ids: [id] }];
        return reportedOf(await scene.post('/v1/responses', { model: 'served-elsewhere', input: 'Hi', tools }, speaking(desk)));
      }),
    { id: /vs_[0-9a-zA-Z]{24}/, model: 'served-elsewhere' },
  ),
  no_vector_store_channel: named(
    (desk) =>
      desk.scene({ settings: { VectorStoresPerUser: '1' }, channels: [{ type: 14 }] }, async (scene) =>
        reportedOf(await scene.post('/v1/vector_stores', {}, speaking(desk))),
      ),
    { group: 'default' },
  ),
  cached_content_not_found: named(
    (desk) =>
      desk.scene({}, async (scene) => {
        const body = { contents: cachedContents, cachedContent: 'cachedContents/none' };
        return reportedOfGemini(await scene.post(`/v1beta/models/${testModel}:generateContent`, body, speaking(desk)));
      }),
    { id: 'none' },
  ),
  context_caches_full: named(
    (desk) =>
      desk.scene(withCaches, async (scene) => {
        await cache(desk, scene);
        return reportedOfGemini(await cache(desk, scene));
      }),
    { caches: 1 },
  ),
  context_cache_busy: (desk) => busyCache(desk).then(({ reported, id }) => ({ reported, details: { id } })),
  batch_not_ended: (desk) =>
    runningMessages(desk).then(({ reported, id }) => ({ reported, details: { id }, code: 'invalid_request_error' })),
  batch_not_cancellable: (desk) => cancelledTwice(desk).then(({ reported, id }) => ({ reported, details: { id, status: 'completed' } })),
  tuning_job_not_found: aboutJob('ftjob-1'),
  tuning_jobs_full: named((desk) => desk.scene(withTuning, async (scene) => tune(desk, scene).then(() => tune(desk, scene))), { jobs: 1 }),
  tuning_not_priced: named(
    (desk) => desk.scene({ ...withTuning, settings: { ...withTuning.settings, FineTuningPrice: '{}' } }, (scene) => tune(desk, scene)),
    { model: testModel },
  ),
  tuning_not_possible: (desk) =>
    afterTuning(
      desk,
      async ({ app }, id) => void (await app.context.db.collection('tuning_jobs').patch({ id }, { set: { status: 'failed' } })),
      (id) => `/v1/fine_tuning/jobs/${id}/cancel`,
    ).then(({ reported, id }) => ({ reported, details: { id, status: 'failed' } })),
  tuning_out_of_reach: (desk) =>
    afterTuning(desk, forgetChannels, (id) => `/v1/fine_tuning/jobs/${id}/events`).then(({ reported, id }) => ({
      reported,
      details: { id },
    })),
  no_tuning_channel: named(
    (desk) =>
      desk.scene({ ...withTuning, channels: [{}, { type: 14, models: 'tide-elsewhere' }] }, (scene) => tune(desk, scene, 'tide-elsewhere')),
    { group: 'default', model: 'tide-elsewhere' },
  ),
  own_model_gone: named(goneModel, { model: tunedModel }),
  response_not_background: (desk) =>
    desk.scene({}, async (scene) => reportedOf(await scene.post(`/v1/responses/${await storedId(scene)}/cancel`, {}, speaking(desk)))),
  previous_response_running: (desk) =>
    changedChain(desk, { status: 'in_progress' }).then(({ reported, id }) => ({ reported, details: { id } })),
  conversation_too_long: (desk) => changedChain(desk, { chain_bytes: 1e12 }).then(({ reported }) => reported),
  verb_unknown: named(
    (desk) =>
      desk.scene({}, async (scene) => {
        return reportedOfGemini(await scene.post(`/v1beta/models/${testModel}:tuneModel`, {}, speaking(desk)));
      }),
    { path: `/v1beta/models/${testModel}:tuneModel` },
  ),
  invalid_stream_id: onSocket((client) => ask(client, { stream_id: '' })),
  websocket_stream_limit_reached: named(
    onSocket((client) => {
      for (let index = 0; index <= 32; index += 1) ask(client, { stream_id: `queue-${index}`, model: 'nobody-has-it' });
      return 'queue-32';
    }),
    { limit: 32 },
  ),
  websocket_connection_limit_reached: named(
    onSocket((_client, { app }) => app.clock.advance(3_600_000)),
    { minutes: 60 },
  ),
  realtime_session_expired: named(
    async (desk) => {
      await using provider = await startFakeRealtime();
      return await desk.scene({ channels: [{ base_url: provider.url }] }, async ({ app, key }) => {
        const headers = { ...speaking(desk), authorization: `Bearer ${key}` };
        using client = await connectSocket(`${app.origin}/v1/realtime?model=${testModel}`, { headers });
        await client.next();
        app.clock.advance(3_600_000);
        return reportedByRelay(400, await client.next());
      });
    },
    { minutes: 60 },
  ),
  too_many_turns: onSocket((client) => {
    for (let turn = 0; turn < 80; turn += 1) ask(client);
  }),
  too_many_sockets: named(
    (desk) =>
      desk.scene({ env: { MAX_SOCKETS_PER_USER: '1' } }, async ({ app, key }) => {
        const options = { headers: { ...speaking(desk), authorization: `Bearer ${key}` } };
        using _first = await connectSocket(`${app.origin}/v1/responses`, options);
        const failure = await failureOf(connectSocket(`${app.origin}/v1/responses`, options));
        if (!(failure instanceof RefusedSocket)) throw failure;
        return reportedByRelay(failure.status, failure.body);
      }),
    { limit: 1 },
  ),
  sockets_full: (desk) =>
    desk.scene({ env: { MAX_SOCKETS_MB: '1', MAX_SOCKETS_PER_USER: '1' } }, async ({ app }) => {
      const open: SocketClient[] = [];
      try {
        for (;;) {
          const { key } = await createToken(app.context, (await app.createUser({ quota: 1_000 })).id);
          const options = { headers: { ...speaking(desk), authorization: `Bearer ${key}` } };
          open.push(await connectSocket(`${app.origin}/v1/responses`, options));
        }
      } catch (failure) {
        if (!(failure instanceof RefusedSocket)) throw failure;
        return reportedByRelay(failure.status, failure.body);
      } finally {
        for (const client of open) client[Symbol.dispose]();
      }
    }),
  websocket_missing: (desk) =>
    desk.scene({}, async ({ app }) => reportedOf(await fetch(`${app.origin}/v1/responses`, { headers: speaking(desk) }))),
  mismatched_organization: (desk) =>
    desk.scene({}, async (scene) => reportedOf(await scene.chat({}, { ...speaking(desk), 'openai-organization': 'org-999999' }))),
  threads_not_kept: async (desk) => ({
    reported: await post('/v1/messages', threadTurn({ type: 'create' }), { settings: { ResponseStoreEnabled: 'false' } })(desk),
    code: 'thread_unsupported_request',
  }),
  thread_not_found: named(post('/v1/messages', threadTurn({ type: 'continue', previous_message_id: 'msg_1' })), { id: 'msg_1' }),
  thread_mismatch: async (desk) => ({
    reported: await desk.scene({}, async (scene) => {
      const { id } = (await (await scene.post('/v1/messages', threadTurn({ type: 'create' }))).json()) as { id: string };
      const body = { ...threadTurn({ type: 'continue', previous_message_id: id }), system: 'Be brief.' };
      return reportedOf(await scene.post('/v1/messages', body, speaking(desk)));
    }),
    details: { field: 'system' },
    code: 'thread_fingerprint_mismatch',
  }),
  account_object_refused: named(
    chat({ fields: { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] } }),
    { field: 'messages.0.content.0.file.file_id' },
  ),
  format_unsupported: post('/v1/embeddings', { model: 'claude-sonnet-4-5', input: 'words' }, claude),
  untranslatable: named(chat({ fields: { model: 'claude-sonnet-4-5', n: 2 }, options: claude }), {
    field: 'n',
    dialect: 'Claude Messages',
  }),
  media_not_fetched: named(
    chat({
      fields: {
        model: 'gemini-2.0-flash',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://10.0.0.1/a.png?key=k' } }] }],
      },
      options: { channels: [{ type: 24, models: 'gemini-2.0-flash' }] },
    }),
    {
      url: 'https://10.0.0.1/a.png',
      reason: { zh: '公共互联网上找不到该主机', en: 'its host is not known, or not of the public internet' },
    },
  ),
  sensitive_words_detected: chat({
    fields: { messages: [{ role: 'user', content: 'contraband, please' }] },
    options: { settings: { SensitiveWords: 'Contraband' } },
  }),
  request_rate_limited: named(second({ ModelRequestRateLimitSuccessCount: '1' }), { minutes: 1, count: 1 }),
  rate_limit_exceeded: named(rateLimited({ meter: 'requests', per: 'minute', amount: 1 }), {
    subject: thisKey,
    per: perMinute,
    unit: { zh: '次请求', en: 'requests' },
    amount: 1,
    seconds: 60,
  }),
  parallel_limit_exceeded: named(rateLimited({ meter: 'parallel', amount: 1 }), { subject: thisKey, amount: 1 }),
  rate_limit_too_small: named(rateLimited({ meter: 'tokens', per: 'minute', amount: 2 }, { isFirst: true }), {
    subject: thisKey,
    per: perMinute,
    amount: 2,
    unit: { zh: '个 token', en: 'tokens' },
    count: 11,
  }),
  context_length_exceeded: named(rateLimited({ meter: 'input_tokens', amount: 2 }, { isFirst: true }), {
    subject: thisKey,
    limit: 2,
    tokens: 11,
  }),
  output_limit_unsupported: named(
    rateLimited({ meter: 'output_tokens', amount: 20 }, { isFirst: true, options: { channels: [{ type: 37, models: testModel }] } }),
    { limit: 20, model: testModel },
  ),
  total_rate_limited: named(second({ ModelRequestRateLimitCount: '1' }), { minutes: 1, count: 1 }),

  model_price_error: named(chat({ fields: { model: 'unpriced-x' }, options: { channels: [{ models: 'unpriced-x' }] } }), {
    model: 'unpriced-x',
  }),
  model_price_error_admin: (desk) => {
    const call = desk.scene({ channels: [{ models: 'unpriced-x' }] }, async (scene) => {
      const { key } = await createToken(scene.app.context, (await scene.app.createUser({ role: 10, quota: 5_000_000 })).id);
      return reportedOf(await scene.chat({ model: 'unpriced-x' }, { ...speaking(desk), authorization: `Bearer ${key}` }));
    });
    return call.then((reported) => ({ reported, details: { model: 'unpriced-x' } }));
  },
  insufficient_user_quota: named(chat({ options: { quota: 0 } }), { detail: /.*quota.*/ }),
  pre_consume_token_quota_failed: named(chat({ token: { quota: 1 } }), { remain: '＄0.000002', need: /＄[\d.]+/ }),

  budget_reached: named(chat({ token: { budgets: JSON.stringify([{ ...tooSmall, period: 'day' }]) } }), {
    budget: 'agents',
    owner: { zh: '此令牌', en: 'this key' },
    amount: '$0.000002',
    left: '$0.000002',
    resets: /2026-01-\d\d 00:00 UTC/,
  }),
  budget_used_up: named(chat({ token: { budgets: JSON.stringify([tooSmall]) } }), {
    budget: 'agents',
    owner: { zh: '此令牌', en: 'this key' },
    amount: '$0.000002',
    left: '$0.000002',
  }),
  session_budget_reached: named(budgeted(false), { token: 'agents', budget: '$0.000002', spent: /\$[\d.]+/ }),
  session_budget_held: named(budgeted(true), { token: 'agents', budget: '$0.000002', spent: '$0.00' }),

  idempotency_key_invalid: repeated({ key: 'x'.repeat(256) }),
  idempotency_key_reused: repeated({ fields: { seed: 1 } }),
  idempotency_key_running: repeated({ set: { state: 'running', request_id: 'not settled yet' } }),
  idempotency_response_lost: named(repeated({ set: { state: 'answered' } }), { id: /\d{14}.*/ }),

  do_request_failed: chat({ options: { channels: [{ base_url: 'http://127.0.0.1:1' }] } }),
  upstream_timeout: async (desk): Promise<Refusal> => ({
    reported: await stream({ holdAfter: 2 }, { env: { STREAMING_TIMEOUT: '1' } })(desk),
    status: 200,
  }),
  upstream_content_unreachable: (desk) =>
    desk.scene(
      { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 26, key: 'id1.secret1', models: 'cogview-4' }] },
      async (scene) => {
        scene.upstream.behave({ imageAddress: 'https://127.0.0.1/a.png' });
        const body = { model: 'cogview-4', prompt: 'a tide', response_format: 'b64_json' };
        return reportedOf(await scene.post('/v1/images/generations', body, speaking(desk)));
      },
    ),
  bad_response_status_code: named(
    upstream({ status: 500, error: { message: '', type: 'server_error' } }),
    { status: 500 },
    { status: 500 },
  ),
  upstream_saturated: async (desk): Promise<Refusal> => ({
    reported: await upstream({ status: 429, error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } })(desk),
    code: 'rate_limit_exceeded',
  }),
  channel_refused: upstream({ status: 401 }),
  invalid_upstream_response: upstream({ garbage: 'html' }),
  upstream_too_deep: upstream({
    usage: { prompt_tokens: 3, completion_tokens: 4, extra: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) },
  }),
  upstream_truncated: async (desk): Promise<Refusal> => ({ reported: await stream({ endAfter: 2 })(desk), status: 200 }),
  output_blocked: (desk) =>
    desk.scene({ settings: { SensitiveWords: 'Contraband', StopOnSensitiveEnabled: 'true' } }, async (scene) => {
      scene.upstream.behave({ text: 'It is contraband' });
      return reportedOf(await scene.chat({}, speaking(desk)));
    }),
  overdraft_stopped: async (desk): Promise<Refusal> => {
    const options = { quota: 300_000, channels: [{ models: 'sea-1' }], settings: { ...rich, StreamOverdraft: 'stop' } };
    const reported = await desk.scene(options, async (scene) => {
      scene.upstream.behave({ repeat: { text: 'word '.repeat(100), times: 20_000 }, chunkDelay: 1 });
      return reportedAtEnd(await scene.chat({ model: 'sea-1', stream: true }, speaking(desk)));
    });
    return { reported, status: 200 };
  },
  // The client is gone: the log row reports it.
  client_closed: async (desk): Promise<Refusal> => {
    const reported = await desk.scene({}, async (scene) => {
      scene.upstream.behave({ text: 'one two three four', holdAfter: 2 });
      const leave = new AbortController();
      const response = await fetch(`${scene.app.origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
        body: JSON.stringify({ model: testModel, messages, stream: true }),
        signal: leave.signal,
      });
      await response.body?.getReader().read();
      leave.abort();
      const [row] = await scene.logs(1);
      return { status: 499, code: row?.other?.['ending'], message: '' };
    });
    return { reported, isSilent: true };
  },

  body_expands: (desk) =>
    desk.scene({}, async (scene) => {
      const response = await fetch(`${scene.app.origin}${path}`, {
        method: 'POST',
        headers: { ...speaking(desk), authorization: `Bearer ${scene.key}`, 'content-encoding': 'gzip' },
        body: gzipSync(JSON.stringify({ model: testModel, messages: [{ role: 'user', content: ' '.repeat(20_000_000) }] })),
      });
      return reportedOf(response);
    }),
  body_timeout: (desk) =>
    desk.scene({ env: { CLIENT_TIMEOUT: '1' } }, async (scene) => {
      const socket = connect(scene.app.port, '127.0.0.1');
      await once(socket, 'connect');
      const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Accept-Language: ${desk.language}`, `Authorization: Bearer ${scene.key}`];
      socket.write([...head, 'Connection: close', 'Content-Length: 1000', '', '{"model":'].join('\r\n'));
      const pieces: Buffer[] = [];
      for await (const piece of socket) pieces.push(Buffer.from(piece));
      const [first = '', body = '{}'] = Buffer.concat(pieces).toString().split('\r\n\r\n');
      return reportedByRelay(Number(first.split(' ')[1]), JSON.parse(body));
    }),
  bodies_of_caller: bodies(false),
  bodies_of_server: bodies(true),
} satisfies RefusalRows<RelayDesk>;
