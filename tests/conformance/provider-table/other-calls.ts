// Calls without a single response: tasks, sessions, counts, and requests of the console.
import { expect } from 'vitest';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { balanceAnswers } from '#tests/support/balance-answers.ts';
import { startBillingUpstream } from '#tests/support/billing-upstream.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { bedrockKey, startFakeBedrock } from '#tests/support/fake-bedrock.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { connectSocket, RefusedSocket } from '#tests/support/socket-client.ts';
import { createTaskScene, price } from '#tests/support/task-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createVideoScene } from '#tests/support/video-scene.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { runBatch } from './batches.ts';
import { editorOf, editPicture } from './edits.ts';
import { orderPicture, painterOf } from './pictures.ts';
import type { Row } from './rows.ts';
import { askForSound, speakerOf } from './sounds.ts';
import { standInOf, upstreamModelOf } from './stand-ins.ts';
import { askForRankings, rankersOf } from './rankings.ts';
import { askForVectors, embedderOf } from './vectors.ts';

const settings = { SelfUseModeEnabled: 'true', RetryTimes: '0' };

/** A drawing or a song: taken, refused, done. */
async function takeTask({ type }: Row): Promise<void> {
  await using scene = await createTaskScene(embeddedEngine);
  await scene.addChannel({ type });
  const customer = await scene.customer();
  const isMusic = type === 36;
  const ask = () => (isMusic ? customer.music() : customer.imagine());
  expect((await ask()).status).toBe(200);
  const { headers } = scene.upstream.visits.at(-1) ?? {};
  expect(isMusic ? headers?.authorization : headers?.['mj-api-secret']).toBe(isMusic ? 'Bearer channel-key' : 'channel-key');
  const paid = await customer.balance();
  expect(paid).toBe(10_000_000 - price);
  scene.upstream.refuse({
    body: isMusic ? { code: 'invalid', message: 'no', data: null } : { code: 24, description: 'no', properties: {} },
  });
  expect((await ask()).body.code).not.toBe(isMusic ? 'success' : 1);
  expect(await customer.balance()).toBe(paid);
  scene.upstream.report(scene.upstream.taken[0] ?? '', { status: 'SUCCESS', progress: '100%' });
  scene.later(16);
  await pollTasks(scene.app.context);
  const task = await scene.app.context.db.collection('tasks').first({ upstream_id: scene.upstream.taken[0] ?? '' });
  expect(task).toMatchObject({ status: 'SUCCESS', progress: '100%' });
  await scene.checkBooks();
}

/** A video: ordered, refused, done. */
async function orderVideo({ type }: Row): Promise<void> {
  const { serving, taken: ordered, report } = soraServing();
  const model = 'sora-2';
  await using upstream = await startFakeVideos(serving);
  await using scene = await createVideoScene(embeddedEngine);
  await scene.set('SelfUseModeEnabled', 'true');
  await scene.addChannel({ type, models: model, base_url: upstream.url });
  const customer = await scene.customer();
  const order = (fields: object = {}) => customer.call('POST', '/v1/videos', { model, prompt: 'a harbour at dawn', ...fields });
  const taken = await order({ seconds: '4' });
  expect(taken.status, JSON.stringify(taken.body)).toBe(200);
  const paid = await customer.balance();
  expect(paid).toBeLessThan(10_000_000);
  upstream.serve(({ method }) => (method === 'POST' ? { status: 400, body: { error: { message: refusedText } } } : undefined));
  const refused = await order();
  expect(refused).toMatchObject({ body: { error: { message: expect.stringContaining(refusedText) } } });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await customer.balance()).toBe(paid);
  report(ordered[0] ?? '', { status: 'completed', progress: 100 });
  await scene.poll();
  expect(await customer.call('GET', `/v1/videos/${taken.body.id}`)).toMatchObject({ status: 200, body: { status: 'completed' } });
  await scene.checkBooks();
}

const sessions: Readonly<Record<number, { path: string; headers: object }>> = {
  1: { path: '/v1/realtime?model=gpt-realtime', headers: { authorization: 'Bearer sk-test' } },
  3: { path: '/openai/v1/realtime?model=gpt-realtime', headers: { 'api-key': 'sk-test' } },
  48: { path: '/v1/realtime?model=gpt-realtime', headers: { authorization: 'Bearer sk-test' } },
};

async function openSession({ type }: Row): Promise<void> {
  await using upstream = await startFakeRealtime();
  const channels = [{ type, base_url: upstream.url, models: 'gpt-realtime' }];
  await using scene = await createScene(embeddedEngine, { channels, settings });
  const connect = () =>
    connectSocket(`${scene.app.origin}/v1/realtime?model=gpt-realtime`, { headers: { authorization: `Bearer ${scene.key}` } });
  using client = await connect();
  expect(await client.next()).toMatchObject({ type: 'session.created' });
  client.send({ type: 'response.create' });
  let last = '';
  while (last !== 'response.done') last = (await client.next())['type'];
  const expected = sessions[type];
  if (expected === undefined) throw new Error(`It is not known where sessions of type ${type} go`);
  const { request } = await upstream.peer(0);
  expect(request.url).toBe(expected.path);
  expect(request.headers).toMatchObject(expected.headers);
  const [row] = await scene.logs(1);
  expect(row?.quota).toBeGreaterThan(0);
  upstream.behave({ refuse: { status: 429, body: { error: { message: 'Rate limit reached', type: 'requests', code: null } } } });
  const refusal = await failureOf(connect());
  expect(refusal).toBeInstanceOf(RefusedSocket);
  expect(refusal).toMatchObject({ status: 429 });
  await scene.checkBooks();
}

const counts = [
  { format: 'openai-responses', path: () => '/v1/responses/input_tokens', body: { input: 'High water?' } },
  { format: 'claude', path: () => '/v1/messages/count_tokens', body: { messages: [{ role: 'user', content: 'High water?' }] } },
  {
    format: 'gemini',
    path: (model: string) => `/v1beta/models/${model}:countTokens`,
    body: { contents: [{ role: 'user', parts: [{ text: 'High water?' }] }] },
  },
] as const;

/** For callers of every format: the provider's count is returned, and nothing is charged. */
async function countPrompts({ type }: Row): Promise<void> {
  const standIn = standInOf(type);
  const reported = counts.filter(({ format }) => standIn?.formats?.includes(format) === true);
  if (standIn === null || reported.length === 0) throw new Error(`It is not known how type ${type} counts`);
  const model = 'claude-sonnet-4-5';
  for (const { format, path, body } of reported) {
    const isByModel = standIn.models?.[format] !== undefined;
    const channel = {
      models: model,
      model_mapping: JSON.stringify({ [model]: upstreamModelOf(standIn, format) }),
      setting: isByModel ? '' : JSON.stringify({ formats: [format] }),
    };
    await using scene = await createScene(embeddedEngine, { settings, channels: [channel], front: standIn.front });
    const response = await scene.post(path(model), { model, ...body });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(text, format).toContain('4242');
    expect(await scene.logs(0)).toEqual([]);
    await scene.checkBooks();
  }
}

async function withAdmin(work: (admin: TestClient) => Promise<void>): Promise<void> {
  await using app = await createTestApp(embeddedEngine);
  await app.setup();
  await work(await app.as(await app.createUser({ role: 10 })));
}

async function channelAt(admin: TestClient, fields: object): Promise<number> {
  const created = await admin.post('/api/channel/', { name: 'one', key: 'sk-secret', models: 'any', ...fields });
  expect(created).toMatchObject({ status: 200, success: true });
  return created.data[0];
}

/** The balance, known and unknown. */
async function askForBalance({ type }: Row): Promise<void> {
  const reported = balanceAnswers.filter((answer) => answer.type === type);
  if (reported.length === 0) throw new Error(`It is not known what type ${type} says is left`);
  await using provider = await startBillingUpstream();
  await withAdmin(async (admin) => {
    const id = await channelAt(admin, { type, base_url: provider.url });
    const ask = () => admin.get(`/api/channel/update_balance/${id}/`);
    for (const { at, dollars } of reported) {
      provider.at = { ...at };
      expect((await ask()).body).toMatchObject({ success: true, balance: dollars });
    }
    provider.at = {};
    expect((await ask()).body).toMatchObject({ success: false });
  });
}

interface ReportedList {
  path: string;
  body?: object;
  key?: string;
}

const models = { object: 'list', data: [{ id: 'a-1' }, { id: 'b-2' }] };
const openaiList: ReportedList = { path: '/v1/models' };
const lists: Readonly<Record<number, ReportedList>> = {
  4: { path: '/api/tags', body: { models: [{ name: 'a-1' }, { name: 'b-2' }] } },
  16: { path: '/api/paas/v4/models', key: 'id.secret' },
  17: { path: '/compatible-mode/v1/models' },
  24: {
    path: '/v1beta/models',
    body: { models: ['a-1', 'b-2'].map((name) => ({ name: `models/${name}`, supportedGenerationMethods: ['generateContent'] })) },
  },
  26: { path: '/api/paas/v4/models', key: 'id.secret' },
  34: { path: '/v1/models', body: { models: [{ name: 'a-1' }, { name: 'b-2' }] } },
  46: { path: '/v2/models' },
};

async function askForModels({ type }: Row): Promise<void> {
  if (type === 33) return askBedrock();
  await using provider = await startBillingUpstream();
  const { path, body = models, key = 'sk-secret' } = lists[type] ?? openaiList;
  await withAdmin(async (admin) => {
    const id = await channelAt(admin, { type, base_url: provider.url, key });
    const ask = () => admin.get(`/api/channel/fetch_models/${id}`);
    provider.at = { [path]: body };
    expect(await ask()).toMatchObject({ success: true, data: ['a-1', 'b-2'] });
    provider.at = {};
    expect((await ask()).success).toBe(false);
  });
}

async function askBedrock(): Promise<void> {
  await using provider = await startFakeBedrock('http://127.0.0.1:1');
  await withAdmin(async (admin) => {
    const id = await channelAt(admin, { type: 33, base_url: provider.url, key: bedrockKey });
    const ask = () => admin.get(`/api/channel/fetch_models/${id}`);
    expect((await ask()).data).toContain('amazon.nova-lite-v1:0');
    provider.refuse(403, 'AccessDeniedException', 'no');
    expect((await ask()).success).toBe(false);
  });
}

const others: Readonly<Record<string, (row: Row) => Promise<void>>> = {
  tasks: takeTask,
  videos: orderVideo,
  batches: runBatch,
  balance: askForBalance,
  models: askForModels,
  realtime: openSession,
  count_tokens: countPrompts,
};

/** What tries a capability that is no call with one response, or in words that few share; undefined: it is one in shared words. */
export function apartOf(row: Row): ((row: Row) => Promise<void>) | undefined {
  const { type, capability } = row;
  if (speakerOf(row) !== null) return askForSound;
  if (capability === 'embeddings' && embedderOf(type) !== null) return askForVectors;
  if (capability === 'rerank' && rankersOf(type).length > 0) return askForRankings;
  if (capability === 'image_edits' && editorOf(type) !== null) return editPicture;
  return capability === 'images' && painterOf(type) !== null ? orderPicture : others[capability];
}
