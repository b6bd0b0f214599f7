// Vertex AI against the provider vectors, and what becomes of its tokens.
import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { framings } from '#server/framing/registry.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { authorizeRequest, type UpstreamRequest } from '#server/exchange/build-request.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { Sender, SendRequest } from '#server/exchange/send.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakeVertex, serviceAccount, startFakeVertex, testKeys } from '#tests/support/fake-vertex.ts';
import { createScene, until } from '#tests/support/relay-scene.ts';
import { differences, readVectors, type Vector } from './provider-vectors.ts';
import { problemText } from '#tests/support/problem-text.ts';

const client = clientDialects['openai-chat'];
const vectors = readVectors('vertex').map((vector) => ({ name: vector.name, vector }));

/** Answers every token request as the vectors do. */
function tokenSender(requested: SendRequest[]): Pick<Sender, 'send'> {
  return {
    send(request) {
      requested.push(request);
      const body = Buffer.from('{"access_token":"ya29.test","expires_in":3599,"token_type":"Bearer"}');
      return { response: Promise.resolve({ kind: 'whole', status: 200, headers: {}, body }), isSent: true, limitBy() {}, abort() {} };
    },
  };
}

let made = 0;

/** Tokens are cached by key, so each vector has its own. */
async function requestOf({ channel, request: { body }, context }: Vector): Promise<{ request: UpstreamRequest; requested: SendRequest[] }> {
  const requested: SendRequest[] = [];
  const own = { key: serviceAccount({ client_id: String((made += 1)) }), other: channel.other };
  const prepared = buildPreparedChannel({ type: channel.type, ...own });
  expect(prepared.problem).toBeNull();
  const call = { client, clientHeaders: {}, settings: defaultSettings, kind: callKinds.chat, forceUsage: true, channel: prepared, body };
  const open = await routedRequest({
    ...call,
    rawText: JSON.stringify(body),
    originModel: String(body.model),
    isStream: body.stream === true,
  });
  const now = (context?.now_unix ?? 0) * 1000;
  return { request: await authorizeRequest(open, { now, sender: tokenSender(requested) }), requested };
}

const writer = { model: '', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: false, promptEstimate: 0 };

/** In the names of the API's types, where the vectors have those of its definitions. */
function inOurNames(body: unknown): unknown {
  if (!isObject(body) || body.safety_settings === undefined) return body;
  const { safety_settings: safetySettings, generation_config: _config, ...rest } = body;
  return { ...rest, safetySettings };
}

it('has the vectors', () => expect(vectors).toHaveLength(3));

describe.each(vectors)('$name', ({ vector }) => {
  const { upstream, upstream_response: answer, response, response_chunks: chunks } = vector;

  it('sends the expected call, with the token of a signed assertion', async () => {
    const { request, requested } = await requestOf(vector);
    expect(`${request.origin}${request.path}`).toBe(upstream.url);
    expect(differences(request.headers, upstream.headers, false)).toEqual([]);
    expect(differences(JSON.parse(request.body.toString()), inOurNames(upstream.body), true)).toEqual([]);
    const [token] = requested;
    expect(`${token?.method} ${token?.origin}${token?.path}`).toBe('POST https://www.googleapis.com/oauth2/v4/token');
    const form = new URLSearchParams(token?.body?.toString());
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(read(claims)).toEqual({
      iss: 'svc@proj-1.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://www.googleapis.com/oauth2/v4/token',
      iat: 1_700_000_000,
      exp: 1_700_002_100,
    });
    const signed = Buffer.from(signature, 'base64url');
    expect(verify('RSA-SHA256', Buffer.from(`${header}.${claims}`), testKeys().publicKey, signed)).toBe(true);
  });

  if (response !== undefined)
    it('gives the client the expected answer', async () => {
      const { request } = await requestOf(vector);
      const body = Buffer.from(JSON.stringify(answer.body));
      const input = { client, route: request.route, upstreamModel: request.upstreamModel, body, responseFields: {} };
      const whole =
        request.route.identity?.readWhole({ ...input, writer }) ??
        decodeWhole({ ...input, writer: { ...writer, model: request.upstreamModel } });
      if (whole.kind !== 'whole') throw new Error('It is none');
      // Ids are in the form of the caller's format.
      const { id: _theirs, ...expected } = Object(response.body);
      expect(differences(JSON.parse(whole.body(null).toString()), expected, false)).toEqual([]);
      expect(whole.usage).toMatchObject({ input: vector.usage?.prompt_tokens, output: vector.usage?.completion_tokens });
    });

  if (chunks !== undefined)
    it('gives the client the expected stream', async () => {
      const { request } = await requestOf(vector);
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route: request.route, writer: { ...writer, model: request.upstreamModel }, tally });
      const pushed = pipe.push(Buffer.from(`${(answer.sse ?? []).join('\n')}\n\n`));
      const { usage } = pipe.reportedUsage();
      const reported = [...framings.sse.events(Buffer.concat([...pushed.forClient, pipe.ending(usage)]))].map(({ data }) => data);
      expect(reported.pop()).toBe('[DONE]');
      expect(reported.map((data) => JSON.parse(data).choices[0].delta.content ?? '').join('')).toBe('Hi!');
      expect(usage).toMatchObject({ input: vector.usage?.prompt_tokens, output: vector.usage?.completion_tokens });
    });
});

const origin = (other: string, model: string, key = serviceAccount()) => {
  const route = buildPreparedChannel({ type: 41, key, other }).route(clientDialects.gemini, 'chat', model);
  return route === null ? null : `${route.origin}${route.path}`;
};

test('a region of the model goes before the default, the global place and multi-regions have hosts of their own', () => {
  const path = (region: string) => `/v1/projects/proj-1/locations/${region}/publishers/google/models/gemini-3-pro:generateContent`;
  const other = '{"default":"global","gemini-3-pro":"eu","gemini-2.5-pro":"asia-east1"}';
  expect(origin(other, 'gemini-3-pro')).toBe(`https://aiplatform.eu.rep.googleapis.com${path('eu')}`);
  expect(origin('global', 'gemini-3-pro')).toBe(`https://aiplatform.googleapis.com${path('global')}`);
  expect(origin(other, 'claude-sonnet-4-5-20250929')).toContain(
    'https://aiplatform.googleapis.com/v1/projects/proj-1/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
  );
  expect(origin('global', 'claude-opus-4-6-max')).toContain('/models/claude-opus-4-6:rawPredict');
  expect(origin('global', 'claude-3-7-sonnet-20250219-thinking')).toContain('/models/claude-3-7-sonnet@20250219:rawPredict');
});

test('models of partners are asked in the form of OpenAI', () => {
  const channel = buildPreparedChannel({ type: 41, key: serviceAccount(), other: 'us-central1' });
  for (const model of ['meta/llama3-405b-instruct-maas', 'qwen3-coder-480b-a35b-instruct-maas']) {
    const route = channel.route(clientDialects.claude, 'chat', model);
    expect(`${route?.origin}${route?.path}`).toBe(
      'https://us-central1-aiplatform.googleapis.com/v1beta1/projects/proj-1/locations/us-central1/endpoints/openapi/chat/completions',
    );
  }
});

test('an API key goes to the place without a project, for Gemini alone', () => {
  const channel = buildPreparedChannel({ type: 41, key: 'AQ.key', other: 'us-central1' });
  // A new channel is tested by the first model that it is filled with, whatever its key.
  expect(channel.route(clientDialects['openai-chat'], 'chat', providerOf(41)?.models[0] ?? '')).not.toBeNull();
  const route = channel.route(clientDialects.gemini, 'chat', 'gemini-3-pro');
  expect(`${route?.origin}${route?.streamPath}`).toBe(
    'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse',
  );
  expect(route?.format.headers(false)).toMatchObject({ 'x-goog-api-key': 'AQ.key' });
  expect(origin('global', 'claude-sonnet-4-5', 'AQ.key')).toBeNull();
  expect(origin('global', 'unheard-of')).toBeNull();
});

test('a prompt for Claude is counted at one address for all models, which says the name in the body', async () => {
  const channel = buildPreparedChannel({ type: 41, key: serviceAccount(), other: 'global' });
  const body = { model: 'claude-3-haiku-20240307', messages: [{ role: 'user', content: 'Hi' }] };
  const call = { client: clientDialects.claude, clientHeaders: {}, settings: defaultSettings, kind: callKinds.count_tokens, channel, body };
  const request = await routedRequest({
    ...call,
    rawText: JSON.stringify(body),
    originModel: body.model,
    isStream: false,
    forceUsage: false,
  });
  expect(request.path).toBe('/v1/projects/proj-1/locations/global/publishers/anthropic/models/count-tokens:rawPredict');
  const { messages } = body;
  expect(JSON.parse(request.body.toString())).toEqual({
    model: 'claude-3-haiku@20240307',
    messages,
    anthropic_version: 'vertex-2023-10-16',
  });
});

test('a key whose secret would be proven to somebody else is not used', () => {
  const problem = (fields: Record<string, string>, base_url = '') =>
    problemText(buildPreparedChannel({ type: 41, key: serviceAccount(fields), other: 'global', base_url }));
  expect(problem({ token_uri: 'https://oauth2.googleapis.com/token' })).toBe('');
  for (const token_uri of [
    'https://evil.example/token',
    'http://oauth2.googleapis.com/token',
    'https://googleapis.com.evil.example/',
    'https://oauth2.googleapis.com:8443/token',
  ]) {
    expect(problem({ token_uri }), token_uri).toContain('token_uri');
  }
  // Who stands in for Google, and gets its tokens anyway, may give them.
  expect(problem({ token_uri: 'https://gateway.example/token' }, 'https://gateway.example/vertex')).toBe('');
  expect(problem({ private_key: 'none' })).toContain('private_key');
  // Another kind of key cannot sign what Google takes.
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  expect(problem({ private_key: privateKey })).toContain('private_key');
});

describe('tokens', () => {
  const settings = { SelfUseModeEnabled: 'true', AutomaticDisableChannelEnabled: 'true' };
  const chat = { model: 'claude-sonnet-4-5', max_tokens: 100 };

  async function open() {
    let vertex: FakeVertex | undefined;
    const front = async (url: string) => (vertex = await startFakeVertex(url));
    const channels = [{ models: chat.model }];
    const scene = await createScene(embeddedEngine, { settings, channels, front });
    if (vertex === undefined) throw new Error('Nothing stands before the upstream');
    return { scene, vertex };
  }

  test('calls at once share one, which is fetched anew shortly before its end', async () => {
    const { scene, vertex } = await open();
    await using _scene = scene;
    const calls = await Promise.all(Array.from({ length: 5 }, () => scene.chat(chat)));
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(vertex.given.count).toBe(1);
    scene.app.clock.advance(3200_000);
    expect((await scene.chat(chat)).status).toBe(200);
    expect(vertex.given.count).toBe(1);
    scene.app.clock.advance(120_000);
    expect((await scene.chat(chat)).status).toBe(200);
    expect(vertex.given.count).toBe(2);
    await scene.checkBooks();
  });

  test('one that is no longer taken is fetched anew once, and the caller hears nothing of it', async () => {
    const { scene, vertex } = await open();
    await using _scene = scene;
    expect((await scene.chat(chat)).status).toBe(200);
    scene.app.clock.advance(120_000);
    vertex.revoke();
    expect((await scene.chat(chat)).status).toBe(200);
    expect(vertex.given.count).toBe(2);
    const rows = await scene.logs(2);
    expect(rows.map((row) => row.channel_id)).toEqual([scene.channelIds[0], scene.channelIds[0]]);
    await scene.checkBooks();
  });

  test('a key whose new tokens are refused too is not asked for another by every call', async () => {
    const { scene, vertex } = await open();
    await using _scene = scene;
    expect((await scene.chat(chat)).status).toBe(200);
    vertex.revoke();
    expect((await scene.chat(chat)).status).toBe(502);
    expect(vertex.given.count).toBe(1);
    await scene.checkBooks();
  });

  test('an account that gets none is refused like a key: another channel answers, and this one is taken out of use', async () => {
    const { scene, vertex } = await open();
    await using _scene = scene;
    vertex.refuse();
    const other = await scene.addChannel({ type: 14, models: chat.model, base_url: scene.upstream.url, key: 'sk-claude', priority: -1 });
    expect((await scene.chat(chat)).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row?.channel_id).toBe(other);
    const record = await until(async () => {
      const found = await scene.app.context.db.collection('channels').get(scene.channelIds[0] ?? 0);
      return found?.status === ChannelStatus.disabledBySystem ? found : null;
    });
    expect(record.other_info).toContain('invalid_grant: the account is disabled');
    await scene.checkBooks();
  });

  test('where the place for tokens cannot be reached, another channel answers and nothing is paid for', async () => {
    const { scene, vertex } = await open();
    await using _scene = scene;
    await vertex.close();
    expect((await scene.chat(chat)).status).toBe(502);
    expect(await scene.balance()).toBe(500_000_000);
    await scene.checkBooks();
  });

  test('a user of the cloud is told by a refresh token, and the project that pays by a header', async () => {
    const requested: SendRequest[] = [];
    const key = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r', quota_project_id: 'mine' };
    const channel = buildPreparedChannel({ type: 41, key: JSON.stringify(key), other: 'global' });
    const route = channel.route(clientDialects.gemini, 'chat', 'gemini-3-pro');
    expect(route?.path).toContain('/projects/mine/');
    expect(route?.format.headers(false)).toMatchObject({ 'x-goog-user-project': 'mine' });
    const request: SendRequest = { origin: '', path: '', method: 'GET', headers: {}, body: null, framing: framings.sse, proxy: null };
    const { headers } = await channel.authorize(request, { now: 0, sender: tokenSender(requested) });
    expect(headers).toEqual({ authorization: 'Bearer ya29.test' });
    expect(`${requested[0]?.origin}${requested[0]?.path}`).toBe('https://oauth2.googleapis.com/token');
    expect(Object.fromEntries(new URLSearchParams(requested[0]?.body?.toString()))).toEqual({
      grant_type: 'refresh_token',
      client_id: 'c',
      client_secret: 's',
      refresh_token: 'r',
    });
  });
});
