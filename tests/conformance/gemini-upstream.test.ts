// Chat calls to Gemini against the provider vectors, which have the names of OpenAI's callers at one end.
import { describe, expect, it } from 'vitest';
import type { SettingKey, SettingValue } from '#shared/settings.ts';
import { noTokens } from '#shared/token-usage.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { upstreamDialects, clientDialects } from '#server/formats/registry.ts';
import { framings } from '#server/framing/registry.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { parseUpstreamError } from '#server/exchange/upstream-error.ts';
import { modelListQuestions, readModelList } from '#server/exchange/read-model-list.ts';
import { noSender } from '#tests/support/no-sender.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { differences, readVectors, type Vector } from './provider-vectors.ts';

const client = clientDialects['openai-chat'];
const gemini = upstreamDialects.gemini;
const vectors = readVectors('gemini').filter(({ request }) => request.path === '/v1/chat/completions');

function requestOf({ channel, request: { body } }: Vector) {
  const requested = { client, clientHeaders: {}, settings: defaultSettings, kind: callKinds.chat, forceUsage: true };
  return routedRequest({
    ...requested,
    channel: buildPreparedChannel({ type: channel.type, key: channel.key }),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body.model),
    isStream: body.stream === true,
  });
}

const writer = { model: '', requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };

/** In the names of the API's types, where the vectors have those of its definitions, and as the types have results of tools. */
function inOurNames(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { safety_settings: safetySettings, generation_config: config, system_instruction: systemInstruction, contents, ...rest } = body;
  const generationConfig = isObject(config) && Object.keys(config).length > 0 ? config : undefined;
  const plain: unknown = JSON.parse(
    JSON.stringify(contents).replace(/"response":\{"name":"[^"]*","content":(\{[^{}]*\})\}/g, '"response":$1'),
  );
  return { ...rest, contents: plain, safetySettings, generationConfig, systemInstruction };
}

/** Tools stand in any order. */
function sorted(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.tools)) return body;
  return { ...body, tools: body.tools.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) };
}

const embeddings = readVectors('gemini').filter(({ request }) => request.path === '/v1/embeddings');

it.each(embeddings.map((vector) => ({ name: vector.name, vector })))('$name: asked and answered as the vectors say', async ({ vector }) => {
  const { upstream, upstream_response: answer, response } = vector;
  const kind = callKinds.embeddings;
  const { body } = vector.request;
  const requested = { client, clientHeaders: {}, settings: defaultSettings, kind, forceUsage: true, isStream: false };
  const channel = buildPreparedChannel({ type: 24, key: vector.channel.key });
  const request = await routedRequest({ ...requested, channel, body, rawText: JSON.stringify(body), originModel: String(body.model) });
  expect(`${request.origin}${request.path}`).toBe(upstream.url);
  expect(JSON.parse(request.body.toString())).toEqual(upstream.body);
  const { route, upstreamModel } = request;
  const input = { client, route, upstreamModel, body: Buffer.from(JSON.stringify(answer.body)), responseFields: body };
  const decoded = kind.decode({ ...input, writer: { ...writer, model: String(body.model) } });
  if (decoded.kind !== 'whole') throw new Error('It is none');
  const tokens = Number(vector.usage?.prompt_tokens);
  const reported: unknown = JSON.parse(decoded.body({ ...noTokens, input: tokens }).toString());
  // Embeddings have no completion.
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  expect(reported).toEqual({ ...Object(response?.body), usage });
});

it('has the vectors of chat', () => expect(vectors.length).toBeGreaterThan(8));

describe.each(vectors.map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  const { upstream, upstream_response: answer, response, response_chunks: chunks, error } = vector;
  const text = JSON.stringify(answer.body);

  it('sends the expected call', async () => {
    const request = await requestOf(vector);
    expect(`${request.origin}${request.path}`).toBe(upstream.url);
    expect(differences(request.headers, upstream.headers, false)).toEqual([]);
    expect(differences(sorted(JSON.parse(request.body.toString())), sorted(inOurNames(upstream.body)), true)).toEqual([]);
  });

  if (error !== undefined)
    it('reports the expected error', () => {
      const channel = buildPreparedChannel({ type: 24 });
      const failure =
        answer.status === 200 ? gemini.readError(text, null) : parseUpstreamError({ status: answer.status, text, channel, now: 0 });
      expect(failure?.status).toBe(error.status);
      // The vectors have Google's number for a code and no type; OpenAI's types know no numbers there.
      const own = typeof error.error.code === 'number' ? { type: 'invalid_request_error', code: 'INVALID_ARGUMENT' } : {};
      const reported = { message: failure?.message, type: failure?.type, param: failure?.param, code: failure?.code };
      expect(reported).toEqual({ ...error.error, ...own });
    });

  if (response !== undefined)
    it('gives the client the expected answer', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const input = { client, route, upstreamModel, body: Buffer.from(text), responseFields: {} };
      const whole = decodeWhole({ ...input, writer: { ...writer, model: upstreamModel } });
      if (whole.kind !== 'whole') throw new Error('It is none');
      const reported: unknown = JSON.parse(whole.body(null).toString());
      // Where there is no text, the vectors have an empty one.
      const expected: unknown = JSON.parse(JSON.stringify(response.body).replace('"content":""', '"content":null'));
      expect(differences(reported, expected, false)).toEqual([]);
    });

  if (chunks !== undefined)
    it('gives the client the expected stream', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route, writer: { ...writer, model: upstreamModel }, tally });
      const pushed = pipe.push(Buffer.from(`${(answer.sse ?? []).join('\n')}\n\n`));
      const { usage } = pipe.reportedUsage();
      const reported = Buffer.concat([...pushed.forClient, pipe.ending(usage)]);
      const events = [...framings.sse.events(reported)].map(({ data }) => data);
      expect(events.pop()).toBe('[DONE]');
      const seen = events.map((data): unknown => JSON.parse(data)).filter(isObject);
      const wanted = chunks.filter(isObject);
      expect(contentOf(seen)).toEqual(contentOf(wanted));
      expect(usage).toMatchObject({ input: vector.usage?.prompt_tokens, output: vector.usage?.completion_tokens });
    });
});

/** What the choices of all chunks say together. */
function contentOf(chunks: readonly Record<string, unknown>[]) {
  const text = (name: string) =>
    [...JSON.stringify(chunks).matchAll(new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*")`, 'g'))].map(([, value]) => JSON.parse(value ?? ''));
  return { content: text('content').join(''), arguments: text('arguments').join(''), names: text('name'), finish: text('finish_reason') };
}

describe('versions and models', () => {
  /** A channel whose setting of versions can be edited. */
  function versioned(versions: Record<string, string>) {
    const stored = {
      revision: 1,
      versions,
      get: <Key extends SettingKey>(key: Key) =>
        key === 'gemini.version_settings' ? (stored.versions as SettingValue<Key>) : defaultSettings.get(key),
    };
    const edit = (edited: Record<string, string>) => Object.assign(stored, { versions: edited, revision: stored.revision + 1 });
    return { channel: buildPreparedChannel({ type: 24 }, stored), edit };
  }
  const path = (model: string, versions: Record<string, string>) => versioned(versions).channel.route(client, 'chat', model)?.streamPath;

  it('the version is what the setting has for the model, now', () => {
    expect(path('gemini-3-flash', { default: 'v1beta', 'gemini-3-flash': 'v1alpha' })).toBe(
      '/v1alpha/models/gemini-3-flash:streamGenerateContent?alt=sse',
    );
    const { channel, edit } = versioned({ default: 'v1' });
    expect(channel.route(client, 'chat', 'g')?.path).toBe('/v1/models/g:generateContent');
    edit({ default: 'v2' });
    expect(channel.route(client, 'chat', 'g')?.path).toBe('/v2/models/g:generateContent');
    expect(channel.route(client, 'chat', 'g', { version: 'x' })?.path).toBe('/v2/models/g:generateContent');
    expect(path('constructor', {})).toBe('/v1beta/models/constructor:streamGenerateContent?alt=sse');
  });

  it('of the models those are listed that can generate, without their folder', () => {
    const models = [
      { name: 'models/gemini-3-flash', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/gemini-embedding-2', supportedGenerationMethods: ['embedContent'] },
      { name: 'tunedModels/mine' },
    ];
    const [question] = modelListQuestions(buildPreparedChannel({ type: 24 }), { now: 0, sender: noSender }) ?? [];
    if (question === undefined) throw new Error('There is no list');
    expect(readModelList(JSON.stringify({ models }), question.list)).toEqual(['gemini-3-flash', 'tunedModels/mine']);
  });
});
