// Spark of iFlytek by WebSocket: against the provider vectors, and calls before a stand-in that looks at every signature.
import { describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { framings } from '#server/framing/registry.ts';
import { authorizeRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { createSender } from '#server/exchange/send.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { sparkKey, startFakeSpark } from '#tests/support/fake-spark.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { differences, readSocketVectors, type SocketVector } from './provider-vectors.ts';
import { problemText } from '#tests/support/problem-text.ts';

const client = clientDialects['openai-chat'];
const kind = callKinds.chat;
const { spark } = upstreamDialects;
const setting = JSON.stringify({ formats: ['spark'] });

async function requestOf({ channel, request: { body }, context: { now_unix: now } }: SocketVector) {
  const open = await routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: buildPreparedChannel({ type: 18, key: channel.key, other: channel.other, setting }),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body['model']),
    isStream: body['stream'] === true,
    forceUsage: true,
    requestId: 'r1',
  });
  const sender = createSender();
  try {
    return await authorizeRequest(open, { now: now * 1000, sender });
  } finally {
    await sender.close();
  }
}

const vectors = readSocketVectors('xunfei');
const sse = (frames: readonly object[]) => Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));

test('has vectors', () => expect(vectors).toHaveLength(3));

describe.each(vectors.map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  const { upstream, upstream_response: reported, response, response_chunks: chunks, error } = vector;
  const model = String(vector.request.body['model']);
  const writer = { model, requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };

  test('asks at the signed address by the expected message', async () => {
    const { origin, path, body } = await requestOf(vector);
    expect(`${origin}${path}`).toBe(upstream.url.replace('wss:', 'https:'));
    expect(differences(JSON.parse(String(body)), upstream.body, true)).toEqual([]);
  });

  if (response !== undefined)
    test('gives the client the expected answer', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const whole = spark.gathering?.whole(framings.sse.events(sse(reported.ws_frames)));
      const body = Buffer.from(JSON.stringify(whole));
      const decoded = kind.decode({ client, route, upstreamModel, body, responseFields: {}, writer });
      if (decoded.kind !== 'whole') throw new Error('It is no response');
      // Ids without OpenAI's prefix are replaced: its clients check prefixes.
      expect(differences(JSON.parse(decoded.body(null).toString()), { ...Object(response.body), id: '$ANY' }, false)).toEqual([]);
    });

  if (chunks !== undefined)
    test('gives the client the expected stream', async () => {
      const { route } = await requestOf(vector);
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route, writer, tally });
      const step = pipe.push(sse(reported.ws_frames));
      expect(step.next).toBe('complete');
      const text = Buffer.concat([...step.forClient, pipe.ending(pipe.reportedUsage().usage)]);
      const events = [...framings.sse.events(text)].map(({ data }) => data);
      expect(events.at(-1)).toBe('[DONE]');
      const parsed = events.slice(0, -1).map((event): Record<string, unknown> => JSON.parse(event));
      const said = parsed.map(({ choices }) => Object(Object(Array.isArray(choices) ? choices[0] : {}).delta).content ?? '');
      expect(said.join('')).toBe('Hello');
      expect(parsed.at(-1)?.['usage']).toMatchObject(vector.usage ?? {});
    });

  if (error !== undefined)
    test('is told as the expected error', () => {
      const { status, error: expected } = error;
      expect(spark.readError(JSON.stringify(reported.ws_frames[0]), null)).toMatchObject({ status, ...expected });
    });
});

test('sockets want a key of three parts, and models that have one', () => {
  const channel = (fields: object) => buildPreparedChannel({ type: 18, key: sparkKey, setting, ...fields });
  expect(problemText(channel({ key: 'pass:word' }))).toContain('APPID|APISecret|APIKey');
  const pathOf = (model: string, fields: object = {}) => channel(fields).route(client, 'chat', model)?.path ?? null;
  expect(pathOf('SparkDesk')).toBe('/v1.1/chat');
  expect(pathOf('SparkDesk', { other: 'v3.5' })).toBe('/v3.5/chat');
  expect(pathOf('SparkDesk-X1')).toBe('/v1/x1');
  expect(pathOf('max-32k')).toBe('/chat/max-32k');
  expect([pathOf('constructor'), pathOf('kjwx')]).toEqual([null, null]);
});

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  const model = 'SparkDesk-v4.0';

  test('of every format are answered and charged alike, whole and streamed', async () => {
    const taken: Record<string, unknown>[] = [];
    const channels = [{ models: model, setting }];
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels, front: startFakeSpark(taken) });
    scene.upstream.behave({ text: 'At noon in Brest.' });
    const calls = [false, true].flatMap((isStream) => callsOfEveryClient(model, 'Tide?', isStream));
    for (const { path, body } of calls) {
      const response = await scene.post(path, body);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toContain('Brest');
    }
    const rows = await scene.logs(calls.length);
    expect(new Set(rows.map(({ quota, completion_tokens: written }) => `${quota} ${written}`)).size).toBe(1);
    expect(rows[0]?.quota).toBeGreaterThan(0);
    expect(taken).toHaveLength(calls.length);
    await scene.checkBooks();
  });

  test('end there when their caller goes', async () => {
    const channels = [{ models: model, setting }];
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels, front: startFakeSpark() });
    scene.upstream.behave({ text: 'At noon in Brest.', holdAfter: 2 });
    const gone = new AbortController();
    const messages = [{ role: 'user', content: 'Tide?' }];
    const response = await scene.post('/v1/chat/completions', { model, stream: true, messages }, {}, gone.signal);
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    gone.abort();
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('cost nothing where they break before they begin', async () => {
    const channels = [{ models: model, setting }];
    const settings = { SelfUseModeEnabled: 'true', RetryTimes: '0' };
    await using scene = await createScene(engine, { settings, channels, front: startFakeSpark() });
    const balance = await scene.balance();
    // A handshake with another secret is refused; so is a session that ends before its answer.
    const other = await scene.addChannel({ models: 'SparkDesk-v3.5', setting, key: 'app1|wrong|key1' });
    expect(other).toBeGreaterThan(0);
    const refused = await scene.post('/v1/chat/completions', { model: 'SparkDesk-v3.5', messages: [{ role: 'user', content: 'Tide?' }] });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await refused.text();
    for (const stream of [false, true]) {
      scene.upstream.queue({ text: 'At noon in Brest.', cutAfter: 0 });
      const broken = await scene.post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'Tide?' }] });
      expect(broken.status).toBeGreaterThanOrEqual(400);
      await broken.text();
    }
    expect(await scene.balance()).toBe(balance);
    await scene.checkBooks();
  });
});
