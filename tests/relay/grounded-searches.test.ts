// How Google bills searches: by the grounded prompt up to Gemini 2.5, by the different query from Gemini 3 on.
import { describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const question = 'What do they cost?';
const [older, newer] = ['gemini-2.5-flash', 'gemini-3-flash-preview'];
const contents = [{ role: 'user', parts: [{ text: question }] }];
const search = { max_tokens: 50, tools: [{ type: 'web_search_20250305', name: 'web_search' }] };

const callers = [
  {
    caller: 'Gemini',
    path: (model: string, stream: boolean) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents, tools: [{ googleSearch: {} }] }),
  },
  {
    caller: 'Claude',
    path: () => '/v1/messages',
    body: (model: string, stream: boolean) => ({ model, stream, messages: [{ role: 'user', content: question }], ...search }),
  },
  {
    caller: 'Responses',
    path: () => '/v1/responses',
    body: (model: string, stream: boolean) => ({ model, stream, input: question, tools: [{ type: 'web_search' }] }),
  },
  {
    caller: 'chat completions',
    path: () => '/v1/chat/completions',
    body: (model: string, stream: boolean) => ({
      model,
      stream,
      messages: [{ role: 'user', content: question }],
      web_search_options: {},
    }),
  },
];

const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 4, totalTokenCount: 104 };
const web = { web: { uri: 'https://prices.example', title: 'Prices' } };
const candidate = (webSearchQueries: readonly string[], fields: object = {}, index = 0) => ({
  content: { role: 'model', parts: [{ text: 'Much.' }] },
  index,
  finishReason: 'STOP',
  groundingMetadata: { webSearchQueries, groundingChunks: [web], groundingSupports: [], ...fields },
});
const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;

async function searchesOf(model: string, caller: (typeof callers)[number], stream: boolean, candidates: object[], fields: object = {}) {
  const bodies = stream ? candidates.map((one) => ({ candidates: [one], ...fields })) : [{ candidates, usageMetadata, ...fields }];
  const text = stream ? [...bodies, { usageMetadata }].map(event).join('') : JSON.stringify(bodies[0]);
  const type = stream ? 'text/event-stream' : 'application/json';
  await using upstream = await startRawUpstream((response) => void response.end(text), { type });
  await using scene = await createScene(embeddedEngine, { channels: [{ type: 24, base_url: upstream.url, models: model }] });
  const answer = await scene.post(caller.path(model, stream), caller.body(model, stream));
  const reported = await answer.text();
  expect([answer.status, reported]).toEqual([200, expect.any(String)]);
  const [row] = await scene.logs(1);
  await scene.checkBooks();
  return { reported, calls: row?.other?.['hosted_calls'] };
}

const queries = ['bitcoin price', 'ethereum price', 'bitcoin price', '', ' '];

describe.each(callers)('searches of a caller of $caller', (caller) => {
  describe.each([false, true])('stream: %s', (stream) => {
    test.each([
      { model: older, what: 'one grounded prompt', charged: { kind: 'web_search', calls: 1, price: 35 } },
      { model: newer, what: 'two different queries', charged: { kind: 'web_search', calls: 2, price: 14 } },
    ])('$model is charged for $what', async ({ model, charged }) => {
      expect((await searchesOf(model, caller, stream, [candidate(queries)])).calls).toEqual([charged]);
    });
  });
});

const [gemini] = callers;
describe.each([false, true])('candidates of one prompt, stream: %s', (stream) => {
  if (gemini === undefined) throw new Error('no caller');
  const both = [candidate(['bitcoin price']), candidate(['bitcoin price', 'gold price'], {}, 1)];

  test('share its queries', async () => {
    expect((await searchesOf(newer, gemini, stream, both)).calls).toMatchObject([{ calls: 2 }]);
  });

  test('are one grounded prompt', async () => {
    expect((await searchesOf(older, gemini, stream, both)).calls).toMatchObject([{ calls: 1 }]);
  });

  test('a name that stands for another model is billed as the model that answers', async () => {
    const answered = { modelVersion: 'gemini-2.5-flash' };
    expect((await searchesOf('gemini-flash-latest', gemini, stream, both, answered)).calls).toMatchObject([{ calls: 1 }]);
  });

  test('nothing but empty queries is no search', async () => {
    const none = [candidate(['', ''], { groundingChunks: [] })];
    expect((await searchesOf(newer, gemini, stream, none)).calls).toBeUndefined();
    expect((await searchesOf(older, gemini, stream, none)).calls).toBeUndefined();
  });
});

test("a Claude caller's usage has the searches that are charged", async () => {
  const [, claude] = callers;
  if (claude === undefined) throw new Error('no caller');
  const { reported } = await searchesOf(older, claude, false, [candidate(queries)]);
  expect(JSON.parse(reported).usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
});
