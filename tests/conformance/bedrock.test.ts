// AWS Bedrock against the provider vectors, and before a stand-in that judges signatures and answers in frames.
import { describe, expect, it, test } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { framings } from '#server/framing/registry.ts';
import { authorizeRequest, type UpstreamRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { signedHeaders } from '#tests/support/aws-oracle.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { embeddedEngine, type Engine, oneEngine } from '#tests/support/engines.ts';
import { bedrockApiKey, bedrockKey, type FakeBedrock, startFakeBedrock } from '#tests/support/fake-bedrock.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { createScene, type SceneOptions, until } from '#tests/support/relay-scene.ts';
import { differences, readVectors, type Vector } from './provider-vectors.ts';

const client = clientDialects['openai-chat'];
const vectors = readVectors('aws-bedrock').map((vector) => ({ name: vector.name, vector }));
const writer = { model: '', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: false, promptEstimate: 0 };
const now = 1_700_000_000_000;

async function requestOf({ channel, request: { body } }: Vector): Promise<UpstreamRequest> {
  const prepared = buildPreparedChannel({ type: channel.type, key: channel.key });
  expect(prepared.problem).toBeNull();
  const call = { client, clientHeaders: {}, settings: defaultSettings, kind: callKinds.chat, forceUsage: true, channel: prepared, body };
  const requested = await routedRequest({ ...call, rawText: JSON.stringify(body), originModel: String(body.model), isStream: false });
  return authorizeRequest(requested, { now, sender: noSender });
}

function bytesOf({ body }: UpstreamRequest): Buffer {
  if (!Buffer.isBuffer(body)) throw new Error('The body is no JSON');
  return body;
}

it('has the vectors', () => expect(vectors).toHaveLength(4));

describe.each(vectors)('$name', ({ vector }) => {
  const { upstream, upstream_response: answer, response, usage, channel } = vector;

  it('sends the expected call', async () => {
    const request = await requestOf(vector);
    expect(`${request.origin}${request.path}`).toBe(upstream.url);
    expect(JSON.parse(bytesOf(request).toString())).toEqual(upstream.body);
    const { authorization, host: _host, ...headers } = upstream.headers;
    expect(request.headers).toMatchObject(headers);
    if (channel.key === 'ABSKtest|us-east-1') expect(request.headers['authorization']).toBe(authorization);
    // The signature of the vector is of a body with its fields in another order.
    else
      expect(request.headers['authorization']).toBe(
        (await signedHeaders(channel.key, { ...request, body: bytesOf(request) }, now))['authorization'],
      );
  });

  it('gives the client the expected answer', async () => {
    const request = await requestOf(vector);
    const input = { client, route: request.route, upstreamModel: request.upstreamModel, responseFields: {} };
    const body = Buffer.from(JSON.stringify(answer.body));
    const whole = decodeWhole({ ...input, body, writer: { ...writer, model: String(vector.request.body.model) } });
    if (whole.kind !== 'whole') throw new Error('It is none');
    // The model is the requested one, and ids have the form of the caller's format.
    const { id: _id, model: _model, ...expected } = Object(response?.body);
    expect(differences(JSON.parse(whole.body(null).toString()), expected, false)).toEqual([]);
    expect(whole.usage).toMatchObject({ input: usage?.prompt_tokens, output: usage?.completion_tokens });
  });
});

describe('the id of a model', () => {
  const idIn = (region: string, name: string) => {
    const route = buildPreparedChannel({ type: 33, key: `ABSK|${region}` }).route(clientDialects.claude, 'chat', name);
    return route === null ? null : /^\/model\/([^/]+)\/invoke$/.exec(route.path)?.[1];
  };

  test.each([
    ['us-west-2', 'claude-sonnet-4-5', 'us.anthropic.claude-sonnet-4-5-20250929-v1%3A0'],
    ['eu-west-1', 'claude-opus-4-6', 'eu.anthropic.claude-opus-4-6-v1'],
    ['ap-northeast-1', 'claude-haiku-4-5-20251001', 'jp.anthropic.claude-haiku-4-5-20251001-v1%3A0'],
    ['ap-southeast-2', 'claude-sonnet-4-5-20250929', 'au.anthropic.claude-sonnet-4-5-20250929-v1%3A0'],
    ['ap-southeast-2', 'claude-3-haiku-20240307', 'apac.anthropic.claude-3-haiku-20240307-v1%3A0'],
    ['ap-south-1', 'claude-sonnet-4-5-20250929', 'global.anthropic.claude-sonnet-4-5-20250929-v1%3A0'],
    ['ca-central-1', 'claude-sonnet-4-20250514', 'global.anthropic.claude-sonnet-4-20250514-v1%3A0'],
    ['us-gov-west-1', 'claude-3-haiku-20240307', 'anthropic.claude-3-haiku-20240307-v1%3A0'],
    ['eu-west-1', 'claude-opus-4-1', 'anthropic.claude-opus-4-1-20250805-v1%3A0'],
    ['us-east-1', 'claude-3-7-sonnet-20250219-thinking', 'us.anthropic.claude-3-7-sonnet-20250219-v1%3A0'],
    ['us-east-1', 'claude-opus-4-6-high', 'us.anthropic.claude-opus-4-6-v1'],
    // What is in no table is an id.
    ['us-east-1', 'global.anthropic.claude-opus-5-max', 'global.anthropic.claude-opus-5'],
    ['us-east-1', 'global.anthropic.claude-opus-5', 'global.anthropic.claude-opus-5'],
    [
      'us-east-1',
      'arn:aws:bedrock:us-east-1:1:inference-profile/claude',
      'arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fclaude',
    ],
    ['us-east-1', 'claude/../x', null],
  ])('in %s of %s is %s', (region, name, id) => {
    expect(idIn(region, name)).toBe(id);
  });

  test('goes to the host of the region', () => {
    const origin = (region: string) =>
      buildPreparedChannel({ type: 33, key: `ABSK|${region}` }).route(clientDialects.claude, 'chat', 'claude-sonnet-4-5')?.origin;
    expect(origin('eu-central-1')).toBe('https://bedrock-runtime.eu-central-1.amazonaws.com');
    expect(origin('cn-north-1')).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn');
  });
});

const settings = { SelfUseModeEnabled: 'true', AutomaticDisableChannelEnabled: 'true' };
const model = 'claude-sonnet-4-5';
const ask = { model, max_tokens: 100, messages: [{ role: 'user', content: 'When is high water in Brest?' }] };

async function open(engine: Engine = embeddedEngine, options: SceneOptions = {}) {
  let bedrock: FakeBedrock | undefined;
  const front = async (url: string) => (bedrock = await startFakeBedrock(url));
  const scene = await createScene(engine, { settings, channels: [{ models: model }], front, ...options });
  if (bedrock === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, bedrock };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls through Bedrock on $kind', ({ engine }) => {
  test.each([bedrockKey, bedrockApiKey])('are charged as told, whole and streamed, with the key %s', async (key) => {
    const { scene, bedrock } = await open(engine, { channels: [{ models: model, key }] });
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon.' });
    const whole = await scene.post('/v1/messages', ask);
    expect(await whole.json()).toMatchObject({ type: 'message', content: [{ type: 'text', text: 'At noon.' }] });
    const streamed = await (await scene.post('/v1/messages', { ...ask, stream: true })).text();
    expect(streamed).toContain('event: message_stop\n');
    const events = [...framings.sse.events(Buffer.from(streamed))];
    // Readers of this format go by the names of events.
    expect(events.every(({ name, data }) => name === JSON.parse(data).type)).toBe(true);
    const text = events.map(({ data }) => JSON.parse(data).delta?.text ?? '').join('');
    expect(text).toBe('At noon.');
    const chat = await (await scene.chat({ model, stream: true })).text();
    expect(chat).toContain('[DONE]');
    const rows = await scene.logs(3);
    expect(new Set(rows.map(({ completion_tokens }) => completion_tokens)).size).toBe(1);
    expect(rows.every(({ quota }) => quota > 0)).toBe(true);
    expect(Object.keys(bedrock.taken[0] ?? {}).sort()).toEqual(['anthropic_version', 'max_tokens', 'messages']);
    await scene.checkBooks();
  });

  test('an exception in a stream ends it with an error, and what came is paid for', async () => {
    const { scene, bedrock } = await open(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'one two three four five six' });
    bedrock.fail('modelStreamErrorException', 5);
    const text = await (await scene.post('/v1/messages', { ...ask, stream: true })).text();
    const last = [...framings.sse.events(Buffer.from(text))].at(-1);
    expect(last?.name).toBe('error');
    expect(text).not.toContain('message_stop');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'upstream_error' });
    expect(row?.completion_tokens).toBeGreaterThan(0);
    await scene.checkBooks();
  });
});

describe('refusals', () => {
  test.each([true, false])('of a throttled account go to another channel (as the first frame of a stream: %s)', async (stream) => {
    const { scene, bedrock } = await open();
    await using _scene = scene;
    const other = await scene.addChannel({ type: 14, models: model, base_url: scene.upstream.url, key: 'sk-claude', priority: -1 });
    if (stream) bedrock.fail('throttlingException', 0);
    else bedrock.refuse(429, 'ThrottlingException', 'Too many requests, please wait before trying again.');
    expect((await scene.post('/v1/messages', { ...ask, stream })).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row?.channel_id).toBe(other);
    const reported = stream ? { status: 200, error: 'throttlingException' } : { status: 429, error: 'ThrottlingException' };
    expect(row?.other).toMatchObject({ attempts: [reported, { status: 200 }] });
    await scene.checkBooks();
  });

  test('keep their status and are named as AWS names them', async () => {
    const { scene, bedrock } = await open();
    await using _scene = scene;
    bedrock.refuse(400, 'ValidationException', 'messages: at least one message is required');
    const response = await scene.chat({ model });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('at least one message is required'), code: 'ValidationException' },
    });
  });

  test('of one model leave the channel in use, those of the key do not', async () => {
    const { scene, bedrock } = await open();
    await using _scene = scene;
    const statusOf = async () => (await scene.app.context.db.collection('channels').get(scene.channelIds[0] ?? 0))?.status;
    bedrock.refuse(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID.");
    expect((await scene.post('/v1/messages', ask)).status).toBe(502);
    await scene.logs(0);
    expect(await statusOf()).toBe(ChannelStatus.enabled);
    bedrock.refuse(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.');
    expect((await scene.post('/v1/messages', ask)).status).toBe(502);
    await until(async () => ((await statusOf()) === ChannelStatus.disabledBySystem ? true : null));
    expect(await scene.balance()).toBe(500_000_000);
    await scene.checkBooks();
  });

  test('a wrong secret is refused by its signature', async () => {
    const { scene } = await open(embeddedEngine, { channels: [{ models: model, key: 'AKIDEXAMPLE|wrong|us-east-1' }] });
    await using _scene = scene;
    expect((await scene.post('/v1/messages', ask)).status).toBe(502);
    await scene.checkBooks();
  });
});

test('versions that callers name travel in the body, as far as they are known there', async () => {
  const { scene, bedrock } = await open();
  await using _scene = scene;
  const betas = 'claude-code-20250219, interleaved-thinking-2025-05-14,oauth-2025-04-20';
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': betas };
  const response = await scene.post(
    '/v1/messages',
    { ...ask, anthropic_beta: ['context-management-2025-06-27', 'context-1m-2025-08-07'] },
    headers,
  );
  expect(response.status).toBe(200);
  expect(bedrock.taken[0]).toMatchObject({ anthropic_beta: ['interleaved-thinking-2025-05-14', 'context-management-2025-06-27'] });
  expect(response.headers.get('x-tidegate-dropped')).toBe(
    // What costs more is left out wherever it stands.
    'anthropic_beta: context-1m-2025-08-07, anthropic-beta: claude-code-20250219, anthropic-beta: oauth-2025-04-20',
  );
});

describe('a channel of the console', () => {
  const desk = useChannelDesk(embeddedEngine);

  test.each([bedrockKey, bedrockApiKey])('lists what can be called, and is tested, with the key %s', async (key) => {
    await using bedrock = await startFakeBedrock(desk.upstream.url);
    const id = await desk.createOne({ type: 33, key, base_url: bedrock.url, models: model });
    const names = ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-lite-v1:0', 'mistral.mistral-large-2402-v1:0'];
    expect(await desk.admin.get(`/api/channel/fetch_models/${id}`)).toMatchObject({ success: true, data: names });
    expect(await desk.admin.get(`/api/channel/test/${id}`)).toMatchObject({ success: true });
    expect(bedrock.taken).toHaveLength(1);
  });
});
