// Blocked words in a prompt of every endpoint that accepts one: an endpoint without a row here fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { relayEndpoints } from '#server/call/endpoints.ts';
import { createSession } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { connectSocket } from '#tests/support/socket-client.ts';

const word = 'Contraband';
const m = 'tide-1';
const user = (content: unknown) => [{ role: 'user', content }];
const parts = [{ role: 'user', parts: [{ text: word }] }];

interface Row {
  path: string;
  /** Of JSON. */
  body?: object;
  /** Fields of a form, apart from its file. */
  form?: Record<string, string>;
  /** The endpoint accepts no text. */
  isWordless?: true;
}

const gemini = ['/v1beta/models/{model}', '/v1beta/{tunedModels/model}', '/v1/models/{model}', '/v1/{tunedModels/model}'].flatMap(
  (path): Row[] => [
    { path: `${path}:generateContent`, body: { contents: parts } },
    { path: `${path}:streamGenerateContent`, body: { contents: parts } },
    { path: `${path}:generateContent`, body: { contents: [{ parts: [{ text: 'hi' }] }], systemInstruction: { parts: [{ text: word }] } } },
    { path: `${path}:countTokens`, body: { contents: parts } },
    { path: `${path}:embedContent`, body: { content: { parts: [{ text: word }] } } },
    { path: `${path}:predict`, body: { instances: [{ prompt: word }] } },
    { path: `${path}:predict`, body: { instances: [{ prompt: 'fine' }], parameters: { negativePrompt: word } } },
    {
      path: `${path}:predict`,
      body: { instances: [{ prompt: 'fine', referenceImages: [{ subjectImageConfig: { subjectDescription: word } }] }] },
    },
    { path: `${path}:batchEmbedContents`, body: { requests: [{ content: { parts: [{ text: word }] } }] } },
  ],
);

const rows: readonly Row[] = [
  { path: '/v1/chat/completions', body: { messages: user(word) } },
  { path: '/v1/chat/completions', body: { messages: user([{ type: 'text', text: word }]) } },
  { path: '/v1/chat/completions', body: { input: [{ role: 'user', content: [{ type: 'input_text', text: word }] }] } },
  { path: '/v1/completions', body: { prompt: ['fine', word] } },
  { path: '/v1/completions', body: { prompt: 'fine', suffix: word } },
  { path: '/v1/fim/completions', body: { prompt: 'fine', suffix: word } },
  { path: '/v1/embeddings', body: { input: ['fine', word] } },
  { path: '/v1/engines/{model}/embeddings', body: { input: word } },
  { path: '/v1/images/generations', body: { prompt: word } },
  { path: '/v1/images/generations', body: { prompt: 'fine', negative_prompt: word } },
  { path: '/v1/images/edits', form: { prompt: word } },
  { path: '/v1/images/edits', body: { prompt: word, images: [{ image_url: 'data:image/png;base64,iVBORw0KGgo=' }] } },
  { path: '/v1/images/variations', isWordless: true },
  { path: '/v1/audio/speech', body: { input: word, voice: 'alloy' } },
  { path: '/v1/audio/speech', body: { input: 'hi', voice: 'alloy', instructions: word } },
  { path: '/v1/audio/transcriptions', form: { prompt: word } },
  { path: '/v1/audio/translations', form: { prompt: word } },
  { path: '/v1/moderations', body: { input: [word] } },
  { path: '/v1/moderations', body: { input: [{ type: 'text', text: word }] } },
  { path: '/v1/rerank', body: { query: word, documents: ['fine'] } },
  { path: '/v1/rerank', body: { query: 'fine', documents: ['fine', { text: word }] } },
  { path: '/v2/rerank', body: { query: 'fine', documents: [word] } },
  { path: '/v1/responses', body: { input: word } },
  { path: '/v1/responses', body: { input: 'hi', instructions: word } },
  { path: '/v1/responses/compact', body: { input: word } },
  { path: '/v1/responses/input_tokens', body: { input: word } },
  { path: '/v1/messages', body: { max_tokens: 9, messages: user(word) } },
  { path: '/v1/messages', body: { max_tokens: 9, system: word, messages: user('hi') } },
  { path: '/v1/messages/count_tokens', body: { messages: user(word) } },
  ...gemini,
  { path: '/v1/interactions', body: { input: word } },
  { path: '/v1beta/interactions', body: { input: 'hi', system_instruction: word } },
];
const byKey = relayEndpoints.filter(({ callers }) => callers === 'keys');
const bySession = relayEndpoints.filter(({ callers }) => callers === 'sessions');
const filled = (path: string) => path.replace('{tunedModels/model}', `tunedModels/${m}`).replace('{model}', m);

test('every address has a row, and every row an address', () => {
  expect(byKey.map(({ path }) => path).filter((path) => rows.every((row) => row.path !== path))).toEqual([]);
  expect(rows.map(({ path }) => path).filter((path) => byKey.every((endpoint) => endpoint.path !== path))).toEqual([]);
});

describe.each(oneEngine)('blocked words everywhere on $kind', (engine) => {
  let open: RelayScene | undefined;
  const scene = () => {
    if (open === undefined) throw new Error('There is no scene outside a test');
    return open;
  };
  beforeAll(async () => {
    const settings = { SelfUseModeEnabled: 'true', SensitiveWords: word.toLowerCase(), RetryTimes: '0' };
    open = await createScene(engine, {
      settings,
      channels: [
        { models: `${m},tunedModels/${m},sora-2` },
        { type: 42, models: m },
        { type: 2, models: 'mj_imagine,mj_blend' },
        { type: 36, models: 'suno_music' },
      ],
    });
  });
  afterAll(async () => {
    // No upstream was called, and nothing was charged.
    expect(scene().upstream.requests).toEqual([]);
    expect(await scene().balance()).toBe(500_000_000);
    await scene().checkBooks();
    await scene()[Symbol.asyncDispose]();
  });

  const send = (path: string, { body, form }: Pick<Row, 'body' | 'form'>, headers: Record<string, string>) => {
    const url = `${scene().app.origin}${path}`;
    // Where the path names the model the body names none.
    const fields = path.includes(m) ? {} : { model: m };
    if (form === undefined) {
      const json = { 'content-type': 'application/json', ...headers };
      return fetch(url, { method: 'POST', headers: json, body: JSON.stringify({ ...fields, ...body }) });
    }
    const data = new FormData();
    for (const [name, value] of Object.entries({ ...fields, ...form })) data.set(name, value);
    data.set(path.includes('audio') ? 'file' : 'image', new File([Buffer.alloc(64)], 'a.bin'));
    return fetch(url, { method: 'POST', headers, body: data });
  };

  test.each(rows.filter(({ isWordless }) => isWordless !== true))('$path $body $form', async ({ path, ...requested }) => {
    const response = await send(filled(path), requested, { authorization: `Bearer ${scene().key}` });
    const text = await response.text();
    expect([response.status, text]).toEqual([400, expect.stringContaining('sensitive words detected')]);
    expect(text).not.toContain(word);
  });

  test.each(bySession.map(({ path }) => path))('%s, from the console', async (path) => {
    const row = rows.find((one) => one.path === path.replace('/pg/v1beta/', '/v1beta/').replace('/pg/', '/v1/'));
    if (row === undefined) throw new Error(`Nothing is asked at ${path}`);
    const { app, user: owner } = scene();
    const session = { cookie: await createSession(app.context, owner), 'new-api-user': String(owner.id), 'accept-language': 'en' };
    const response = await send(filled(path), row, session);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('blocked words')]);
  });

  test.each([
    ['/mj/submit/imagine', { prompt: word }],
    ['/mj/submit/imagine', { prompt: 'fine', promptEn: word }],
    ['/mj/submit/imagine', { prompt: 'fine', remix: [{ text: word }] }],
    ['/mj/submit/blend', { base64Array: [], prompt: word }],
    ['/suno/submit/music', { prompt: word, mv: 'chirp-v3-0' }],
    ['/suno/submit/music', { prompt: 'fine', tags: word, mv: 'chirp-v3-0' }],
    ['/v1/videos', { model: 'sora-2', prompt: word }],
    ['/v1beta/models/sora-2:predictLongRunning', { instances: [{ prompt: word }] }],
    ['/v1/video/generations', { model: 'sora-2', prompt: 'fine', negative_prompt: word }],
    ['/kling/v1/videos/text2video', { model_name: 'sora-2', prompt: 'fine', negative_prompt: word }],
  ])('%s %j', async (path, body) => {
    const text = await (await scene().post(path, body)).text();
    expect(text).toMatch(/屏蔽词|sensitive/i);
    expect(text).not.toContain(word);
  });

  test('a socket of Responses', async () => {
    const url = `${scene().app.origin}/v1/responses`;
    using client = await connectSocket(url, { headers: { authorization: `Bearer ${scene().key}` } });
    client.send({ type: 'response.create', model: m, input: word });
    expect(JSON.stringify(await client.next())).toContain('sensitive words detected');
  });
});
