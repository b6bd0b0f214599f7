// Blocked words in an answer of every endpoint that returns generated content: an endpoint without a row here fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { relayEndpoints } from '#server/call/endpoints.ts';
import { createSession } from '#tests/support/build-token.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';
import type { Behaviour } from '#tests/support/upstream-behaviour.ts';

const word = 'Contraband';
/** Of the caller's own format, and of others: of OpenAI's two, Claude's and Google's. */
const models = { chat: 'tide-chat', responses: 'tide-responses', claude: 'claude-sonnet-4-5', gemini: 'gemini-2.5-flash' };
/** Its pictures come in streams, too. */
const painter = 'gpt-image-hold';
const coder = 'codestral-hold';
const messages = [{ role: 'user', content: 'What is in the hold?' }];
const contents = [{ role: 'user', parts: [{ text: 'What is in the hold?' }] }];
const properties = { for: { type: 'string' } };
const schema = { type: 'object', properties };

const text: Behaviour = { pieces: ['Barrels of contra', 'band', ' and rope'] };
const written: Readonly<Record<string, Behaviour>> = {
  'its text': text,
  'its thoughts': { reasoning: 'They hide contraband there', text: 'Rope.' },
  'what a tool is called with': { toolCalls: [{ name: 'search', arguments: '{"for":"contraband"}' }] },
};

interface Row {
  path: string;
  body?: object;
  /** Fields of a form, apart from its file. */
  form?: Record<string, string>;
  /** What the file is called in it. */
  file?: string;
  /** Fields that request a stream; null: there are none. */
  stream?: object | null;
  answers?: Readonly<Record<string, Behaviour>>;
  /** Missing: each of `models`. */
  model?: string;
  /** Upstreams that are tried; missing: all. */
  upstreams?: readonly string[];
}

const functions = [{ type: 'function', function: { name: 'search', parameters: schema } }];
const flat = [{ type: 'function', name: 'search', parameters: schema }];
const generateContent = (path: string): Row[] => {
  // The others are the same address under another name.
  const few = path === '/v1beta/models/{model}' ? {} : { answers: { 'its text': text }, upstreams: ['chat'] };
  const body = { contents, tools: [{ functionDeclarations: [{ name: 'search', parameters: schema }] }] };
  return [
    { path: `${path}:generateContent`, body, stream: null, ...few },
    { path: `${path}:streamGenerateContent?alt=sse`, body, stream: {}, ...few },
    // As one list that is written bit by bit.
    { path: `${path}:streamGenerateContent`, body, stream: {}, ...few },
  ];
};
const received = { 'what was heard': { text: `They hide ${word} there` } };
const revised = { 'what the prompt was made': { revisedPrompt: `${word} in the hold` } };
const rows: readonly Row[] = [
  { path: '/v1/chat/completions', body: { messages, tools: functions } },
  {
    path: '/v1/completions',
    body: { prompt: 'What is in the hold?' },
    answers: { 'its text': { text: 'Barrels of contraband and rope' } },
    upstreams: ['chat'],
  },
  { path: '/v1/fim/completions', body: { prompt: 'hold =', suffix: 'end' }, answers: { 'its text': text }, model: coder },
  { path: '/v1/responses', body: { input: 'What is in the hold?', tools: flat } },
  { path: '/v1/messages', body: { max_tokens: 99, messages, tools: [{ name: 'search', input_schema: schema }] } },
  ...['/v1beta/models/{model}', '/v1beta/{tunedModels/model}', '/v1/models/{model}', '/v1/{tunedModels/model}'].flatMap(generateContent),
  { path: '/v1/interactions', body: { input: 'What is in the hold?', tools: flat } },
  { path: '/v1beta/interactions', body: { input: 'What is in the hold?', tools: flat } },
  ...['json', 'text', 'srt', 'vtt', 'verbose_json'].flatMap((response_format): Row[] => [
    { path: '/v1/audio/transcriptions', form: { response_format }, stream: null, answers: received },
    { path: '/v1/audio/translations', form: { response_format }, stream: null, answers: received },
  ]),
  { path: '/v1/audio/transcriptions', form: { stream: 'true' }, stream: {}, answers: received },
  {
    path: '/v1/audio/transcriptions',
    form: { stream: 'true' },
    stream: {},
    answers: { 'what was heard, told at once': { text: `They hide ${word} there`, garbage: 'json to a stream' } },
  },
  { path: '/v1/images/generations', body: { prompt: 'a hold' }, stream: null, answers: revised, model: painter },
  // The response is whole, and converted to a stream.
  {
    path: '/v1/images/generations',
    body: { prompt: 'a hold', stream: true },
    stream: {},
    answers: { reported: { revisedPrompt: word, garbage: 'json to a stream' } },
    model: painter,
  },
  { path: '/v1/images/edits', form: { prompt: 'a hold' }, file: 'image', model: painter, stream: null, answers: revised },
  { path: '/v1/images/variations', form: {}, file: 'image', model: painter, stream: null, answers: revised },
  ...['/v1beta/models/{model}', '/v1beta/{tunedModels/model}', '/v1/models/{model}', '/v1/{tunedModels/model}'].map((path): Row => {
    return { path: `${path}:predict`, body: { instances: [{ prompt: 'a hold' }] }, model: painter, stream: null, answers: revised };
  }),
];

/** Nothing that they answer is a model's words: numbers, vectors, sounds, and what the caller has sent. */
const wordless = new Set(['count_tokens', 'embeddings', 'moderations', 'rerank', 'speech']);
/** Its provider stands behind a front of its own: `fim.test.ts`. */
const elsewhere = new Set(['fim']);
/** Paths of API clients for the console's paths. */
const withKey = (path: string) => path.replace('/pg/v1beta/', '/v1beta/').replace('/pg/', '/v1/');
const pathOf = (path: string) => path.replace(/\?.*/, '');
const worded = relayEndpoints.filter(({ kind }) => !wordless.has(kind.name) && !elsewhere.has(kind.name));

test('every address whose answers have words has a row, and every kind of call is known', () => {
  const missing = worded.filter(
    ({ path, isCompaction }) => isCompaction !== true && rows.every((row) => pathOf(row.path) !== withKey(path)),
  );
  expect(missing.map(({ path }) => path)).toEqual([]);
  const known = new Set([...wordless, ...elsewhere, ...worded.map(({ kind }) => kind.name), 'realtime']);
  expect(Object.keys(callKinds).filter((name) => !known.has(name))).toEqual([]);
});

describe('blocked words in answers everywhere', () => {
  let open: RelayScene | undefined;
  const scene = () => {
    if (open === undefined) throw new Error('There is no scene outside a test');
    return open;
  };
  beforeAll(async () => {
    const settings = { SelfUseModeEnabled: 'true', SensitiveWords: word.toLowerCase(), StopOnSensitiveEnabled: 'true', RetryTimes: '0' };
    const named = (model: string) => `${model},tunedModels/${model}`;
    open = await createScene(embeddedEngine, {
      settings,
      channels: [
        { type: 1, models: `${named(models.chat)},${painter}` },
        { type: 1, models: `tunedModels/${painter}`, model_mapping: JSON.stringify({ [`tunedModels/${painter}`]: painter }) },
        { type: 1, models: named(models.responses), setting: '{"formats":["openai-responses"]}' },
        { type: 14, models: named(models.claude) },
        { type: 24, models: named(models.gemini) },
        { type: 42, models: coder },
      ],
    });
  });
  afterAll(async () => {
    await scene().checkBooks();
    await scene()[Symbol.asyncDispose]();
  });

  const send = async (
    path: string,
    { body, form, file = 'file' }: Pick<Row, 'body' | 'form' | 'file'>,
    model: string,
    headers: Record<string, string>,
  ) => {
    const url = `${scene().app.origin}${path.replace('{tunedModels/model}', `tunedModels/${model}`).replace('{model}', model)}`;
    const fields = path.includes('odel}') ? {} : { model };
    if (form === undefined) {
      const json = { 'content-type': 'application/json', ...headers };
      return fetch(url, { method: 'POST', headers: json, body: JSON.stringify({ ...fields, ...body }) });
    }
    const data = new FormData();
    for (const [name, value] of Object.entries({ ...fields, ...form })) data.set(name, value);
    data.set(file, new File([Buffer.alloc(64)], file === 'image' ? 'a.png' : 'a.wav', file === 'image' ? { type: 'image/png' } : {}));
    return fetch(url, { method: 'POST', headers, body: data });
  };

  async function expectStopped(requested: Promise<Response>, isStream: boolean): Promise<void> {
    const response = await requested;
    const reported = await response.text();
    expect([response.status, reported.toLowerCase()]).toEqual([
      isStream ? 200 : 400,
      expect.stringContaining('the answer holds blocked words'),
    ]);
    expect(reported.toLowerCase()).not.toContain('contraband');
  }

  const cases = rows.flatMap(({ stream = { stream: true }, answers = written, upstreams, model: only, ...row }) =>
    Object.entries(answers).flatMap(([what, behaviour]) =>
      Object.entries(only !== undefined ? { chat: only } : row.form === undefined ? models : { chat: models.chat }).flatMap(
        ([upstream, model]) => {
          if (upstreams?.includes(upstream) === false) return [];
          const whole = { ...row, what, behaviour, upstream, model, isStream: false };
          const streamed = { ...whole, body: { ...row.body, ...stream }, isStream: true };
          if (stream === null) return [whole];
          return Object.keys(stream).length === 0 ? [streamed] : [whole, streamed];
        },
      ),
    ),
  );

  test.each(cases)(
    '$path, $what, of a provider of $upstream, stream: $isStream $form',
    async ({ path, what, behaviour, model, isStream, ...requested }) => {
      scene().upstream.behave(behaviour);
      expect(what).not.toBe('');
      await expectStopped(send(path, requested, model, { authorization: `Bearer ${scene().key}` }), isStream);
    },
  );

  test.each(worded.filter(({ callers }) => callers === 'sessions').map(({ path }) => path))('%s, from the console', async (path) => {
    const row = rows.find((one) => one.path === withKey(path));
    if (row === undefined) throw new Error(`Nothing is asked at ${path}`);
    const { app, user: owner } = scene();
    const session = { cookie: await createSession(app.context, owner), 'new-api-user': String(owner.id), 'accept-language': 'en' };
    scene().upstream.behave({ text: `They hide ${word} there`, revisedPrompt: word });
    const response = await send(path, row, row.model ?? models.chat, session);
    // What has begun as a stream ends as one.
    const status = path.includes(':stream') ? 200 : 400;
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('blocked words')]);
  });

  test('a socket of Responses', async () => {
    scene().upstream.behave(text);
    using client = await connectSocket(`${scene().app.origin}/v1/responses`, { headers: { authorization: `Bearer ${scene().key}` } });
    client.send({ type: 'response.create', model: models.chat, input: 'What is in the hold?' });
    let receivedOf = '';
    while (!receivedOf.includes('blocked words')) receivedOf = JSON.stringify(await client.next());
    expect(receivedOf.toLowerCase()).not.toContain('contraband');
  });

  test.each([
    ['in what is said of the sound', 'response.output_audio_transcript.delta'],
    ['in a text', 'response.output_text.delta'],
    ['in what a tool is called with', 'response.function_call_arguments.delta'],
  ])('a realtime session, %s', async (_where, type) => {
    await using upstream = await startFakeRealtime();
    const realtime = `gpt-realtime-${type}`;
    await scene().addChannel({ type: 1, base_url: upstream.url, models: realtime });
    const url = `${scene().app.origin}/v1/realtime?model=${realtime}`;
    using client = await connectSocket(url, { headers: { authorization: `Bearer ${scene().key}` } });
    await client.next();
    upstream.behave({ holdAfter: 1 });
    client.send({ type: 'response.create' });
    const peer = await upstream.peer(0);
    await client.next();
    await until(() => peer.held !== null);
    for (const delta of ['Barrels of contra', 'band', ' and rope'])
      peer.emit({ type, response_id: peer.held, item_id: 'item_1', output_index: 0, content_index: 0, delta });
    let all = '';
    while (!all.includes('blocked words')) all += JSON.stringify(await client.next());
    expect(all).not.toContain('"band"');
    const logged = await scene()
      .app.context.db.collection('logs')
      .find({ type: 2 }, { sort: [['id', 1]] });
    expect(logged.at(-1)).toMatchObject({ model_name: realtime, other: { ending: 'blocked_words' } });
    expect(logged.at(-1)?.completion_tokens).toBeGreaterThan(0);
  });
});
