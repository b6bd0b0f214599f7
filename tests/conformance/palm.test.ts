// PaLM: against the provider vectors, what is written of every caller's request, and read of every response.
import { describe, expect, test } from 'vitest';
import { noTokens } from '#shared/token-usage.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakePalm, startFakePalm } from '#tests/support/fake-palm.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { differences, readVectors } from './provider-vectors.ts';

const { palm } = upstreamDialects;
const client = clientDialects['openai-chat'];
const kind = callKinds.chat;
const model = 'PaLM-2';

async function requestOf(body: Record<string, unknown>) {
  return routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: buildPreparedChannel({ type: 11, key: 'gkey' }),
    body,
    rawText: JSON.stringify(body),
    originModel: model,
    isStream: false,
    forceUsage: true,
    requestId: 'r1',
  });
}

const vectors = readVectors('palm');

test('has vectors', () => expect(vectors).toHaveLength(1));

describe.each(vectors.map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  test('sends the expected call', async () => {
    const request = await requestOf(vector.request.body);
    expect(`${request.origin}${request.path}`).toBe(vector.upstream.url);
    expect(differences(request.headers, vector.upstream.headers, false)).toEqual([]);
    expect(differences(JSON.parse(String(request.body)), vector.upstream.body, true)).toEqual([]);
  });

  test('gives the client the expected answer', async () => {
    const { route, upstreamModel } = await requestOf(vector.request.body);
    const writer = { model, requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };
    const body = Buffer.from(JSON.stringify(vector.upstream_response.body));
    const decoded = kind.decode({ client, route, upstreamModel, body, responseFields: {}, writer });
    if (decoded.kind !== 'whole') throw new Error('It is no response');
    expect([decoded.usage, decoded.written()]).toEqual([null, 'Hi!']);
    const counted = { input: 5, output: 2 };
    const usage = { ...noTokens, ...counted };
    expect(differences(JSON.parse(decoded.body(usage).toString()), vector.response?.body, false)).toEqual([]);
  });
});

describe('a response', () => {
  test.each([
    [{ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, { status: 400, type: 'INVALID_ARGUMENT', message: 'no' }],
    [{ error: {} }, { status: 500, type: 'palm_error' }],
    [{ filters: [{ reason: 'SAFETY' }] }, { status: 400, code: 'content_filter' }],
    [{ candidates: [], filters: [{ reason: 'OTHER' }] }, { status: 400 }],
  ])('of status 200 may be an error: %j', (body, error) => expect(palm.readError(JSON.stringify(body), null)).toMatchObject(error));

  test.each([{}, { candidates: [] }, { candidates: [{}] }, { candidates: 'Hi' }])('may be none: %j', (body) =>
    expect(palm.readWhole(body, null)).toBeNull(),
  );
});

const prices = {
  ModelRatio: JSON.stringify({ [model]: 10 }),
  CompletionRatio: JSON.stringify({ [model]: 1 }),
  DefaultMaxOutputTokens: '1000',
  RetryTimes: '0',
};

async function openScene(engine: (typeof oneEngine)[number], options: SceneOptions = {}) {
  let provider: FakePalm | undefined;
  const front = async (url: string) => (provider = await startFakePalm(url));
  const scene = await createScene(engine, { channels: [{ models: model }], settings: prices, front, ...options });
  if (provider === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, taken: provider.taken };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('of every format are answered and counted, whole and streamed', async () => {
    const { scene, taken } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    const calls = [false, true].flatMap((isStream) => callsOfEveryClient(model, 'Tide?', isStream));
    for (const { path, body } of calls) {
      const response = await scene.post(path, body);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toContain('Brest');
    }
    const rows = await scene.logs(calls.length);
    expect(rows.every(({ quota, completion_tokens: written }) => quota > 0 && written > 0)).toBe(true);
    expect(new Set(taken.map((body) => JSON.stringify(body))).size).toBe(1);
    await scene.checkBooks();
  });

  test('may ask for several answers', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon.' });
    const response = await scene.chat({ model, n: 2 });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'At noon.' } }, { index: 1, message: { content: 'At noon.' } }],
    });
    await scene.logs(1);
    await scene.checkBooks();
  });

  test('that are refused cost nothing', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    const before = await scene.balance();
    const response = await scene.chat({ model, temperature: 2 });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('sampling')]);
    await scene.logs(1);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('reserve the largest response, whatever limit they name', async () => {
    const { scene, taken } = await openScene(engine, { quota: 10 * 999 });
    await using _scene = scene;
    const response = await scene.chat({ model, max_tokens: 1 });
    expect(response.status).toBe(403);
    await response.text();
    expect(taken).toEqual([]);
    await scene.checkBooks();
  });
});
