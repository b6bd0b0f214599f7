import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { embeddingOf, type FakeUpstream, startFakeUpstream } from './fake-upstream.ts';

let upstream: FakeUpstream;
let client: OpenAI;
const messages = [{ role: 'user' as const, content: 'When is high water?' }];

beforeAll(async () => {
  upstream = await startFakeUpstream();
  client = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'sk-up', maxRetries: 0 });
});
beforeEach(() => upstream.reset());
afterAll(() => upstream.close());

test('fake-upstream: the official client reads its JSON answer and its stream, which say the same', async () => {
  const whole = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
  let streamed = '';
  let usage: unknown;
  const stream = await client.chat.completions.create({
    model: 'gpt-4o-mini',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) {
    streamed += chunk.choices[0]?.delta.content ?? '';
    usage = chunk.usage ?? usage;
  }
  expect(streamed).toBe(whole.choices[0]?.message.content);
  expect(usage).toEqual(whole.usage);
  expect(upstream.requests.map((request) => [request.path, request.key, request.outcome])).toEqual([
    ['/v1/chat/completions', 'sk-up', 'complete'],
    ['/v1/chat/completions', 'sk-up', 'complete'],
  ]);
});

test('fake-upstream: usage is streamed only when asked for', async () => {
  const stream = await client.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true });
  for await (const chunk of stream) expect(chunk.usage).toBeUndefined();
});

test('fake-upstream: tools are called until their results are there', async () => {
  upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], text: 'At noon.' });
  const tools = [{ type: 'function' as const, function: { name: 'get_tide', parameters: { type: 'object' } } }];
  const runner = client.chat.completions.stream({ model: 'gpt-4o-mini', messages, tools });
  const first = (await runner.finalChatCompletion()).choices[0];
  expect(first?.finish_reason).toBe('tool_calls');
  const call = first?.message.tool_calls?.[0];
  expect(call).toMatchObject({ type: 'function', function: { name: 'get_tide', arguments: '{"port":"Brest"}' } });
  const second = await client.chat.completions.create({
    model: 'gpt-4o-mini',
    tools,
    messages: [
      ...messages,
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_tide', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: '12:00' },
    ],
  });
  expect(second.choices[0]?.message.content).toBe('At noon.');
});

test('fake-upstream: embeddings come as floats and as base64, in the asked length', async () => {
  const floats = await client.embeddings.create({
    model: 'text-embedding-3-small',
    input: ['a', 'b'],
    dimensions: 6,
    encoding_format: 'float',
  });
  const packed = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'], dimensions: 6 });
  expect(upstream.requests[1]?.body).toMatchObject({ encoding_format: 'base64' });
  expect(packed.data.map((item) => item.embedding)).toEqual(floats.data.map((item) => item.embedding));
  expect(floats.data[0]?.embedding).toEqual(embeddingOf('a', 6));
});

test('fake-upstream: behaviours are chosen by queue, then by the newest rule, then by default', async () => {
  upstream.behave({ status: 500 });
  upstream.behave({ status: 429, retryAfter: 7 }, { model: 'busy', times: 1 });
  upstream.queue({ status: 401 });
  const statusOf = async (model: string) => {
    const answer = await fetch(`${upstream.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model, messages }) });
    await answer.text();
    return [answer.status, answer.headers.get('retry-after')];
  };
  expect(await statusOf('busy')).toEqual([401, null]);
  expect(await statusOf('busy')).toEqual([429, '7']);
  expect(await statusOf('busy')).toEqual([500, null]);
});

test('fake-upstream: a caller that hangs up is recorded, and so is a cut of its own', async () => {
  upstream.queue({ holdAfter: 2 }, { cutAfter: 1 });
  const controller = new AbortController();
  const stream = await client.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true }, { signal: controller.signal });
  const pieces: string[] = [];
  for await (const chunk of stream) {
    pieces.push(chunk.choices[0]?.delta.content ?? '');
    if (pieces.length === 3) controller.abort();
  }
  const held = await upstream.request(0);
  expect(await held.closed).toBe('aborted');
  expect(held.eventsSent).toBe(3);

  const cut = await client.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true });
  await expect((async () => Array.fromAsync(cut))()).rejects.toThrow();
  expect(await (await upstream.request(1)).closed).toBe('cut');
});

test('fake-upstream: a held answer goes on when it is released', async () => {
  upstream.behave({ holdAfter: 1, text: 'one two three' });
  const whole = client.chat.completions.stream({ model: 'gpt-4o-mini', messages }).finalContent();
  (await upstream.request(0)).release();
  expect(await whole).toBe('one two three');
});

test('fake-upstream: a seeded share of the calls fails, the same one each time', async () => {
  const run = async () => {
    upstream.reset();
    upstream.behave({ failing: { rate: 0.3, seed: 4, as: { status: 500 } } });
    const statuses: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      const answer = await fetch(`${upstream.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm', messages }) });
      await answer.text();
      statuses.push(answer.status);
    }
    return statuses;
  };
  const first = await run();
  expect(first.filter((status) => status === 500).length).toBeGreaterThan(9);
  expect(first.filter((status) => status === 500).length).toBeLessThan(28);
  expect(await run()).toEqual(first);
});

test.each([
  'openai/chat-stream.sse',
  'openai/chat-stream-tools.sse',
  'openai/chat-stream-reasoning.sse',
  'deepseek/chat-stream-reasoner.sse',
  'openrouter/chat-stream.sse',
  'groq/chat-stream.sse',
  'moonshot/chat-stream.sse',
])('fake-upstream: the recorded stream %s is readable in pieces of seven bytes', async (replay) => {
  upstream.behave({ replay, bytesPerWrite: 7 });
  const chunks = await Array.fromAsync(await client.chat.completions.create({ model: 'm', messages, stream: true }));
  expect(chunks.some((chunk) => chunk.choices[0]?.finish_reason != null)).toBe(true);
});
