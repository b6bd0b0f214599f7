// Answers of many megabytes, which real providers send: nothing of them is parsed in one go, and they are charged as any other.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const json = { type: 'application/json' };
const rows = Array.from({ length: 200 }, (_, index) => ({
  object: 'embedding',
  index,
  embedding: Array.from({ length: 3072 }, (_part, at) => Math.fround(Math.sin(index * 3072 + at))),
}));
const embeddings = JSON.stringify({ object: 'list', data: rows, model: testModel, usage: { prompt_tokens: 7, total_tokens: 7 } });

/** Letters of a text that is parsed in one piece. */
const longestParsed = 1024 * 1024;

/** The longest text that anybody has parsed since. */
function watchParsing(): () => number {
  const parse = vi.spyOn(JSON, 'parse');
  return () => Math.max(0, ...parse.mock.calls.map(([text]) => text.length));
}

afterEach(() => vi.restoreAllMocks());

describe.each(oneEngine)('long answers on $kind', (engine) => {
  test('vectors go on as they came, or in the encoding that was asked for, and no large text is parsed', async () => {
    await using upstream = await startRawUpstream((response) => void response.end(embeddings), json);
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }] });
    const parsed = watchParsing();
    const ask = (fields: object) => scene.post('/v1/embeddings', { model: testModel, input: ['x'], ...fields });
    const asTheyCame = await (await ask({})).text();
    const packed = await (await ask({ encoding_format: 'base64' })).text();
    const short = await (await ask({ encoding_format: 'base64', dimensions: 256 })).text();
    expect(embeddings.length).toBeGreaterThan(longestParsed * 5);
    expect(parsed()).toBeLessThan(longestParsed);
    vi.restoreAllMocks();
    expect(asTheyCame === embeddings).toBe(true);
    const body = JSON.parse(packed);
    const [first] = body.data;
    expect(body).toMatchObject({ object: 'list', model: testModel, usage: { prompt_tokens: 7, total_tokens: 7 } });
    expect(first).toMatchObject({ object: 'embedding', index: 0 });
    const floats = body.data.map(({ embedding }: { embedding: string }) => {
      const bytes = Buffer.from(embedding, 'base64');
      return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
    });
    expect(floats).toEqual(rows.map(({ embedding }) => embedding));
    expect(JSON.parse(short).data.map((row: { embedding: string }) => Buffer.byteLength(row.embedding, 'base64'))).toEqual(
      rows.map(() => 256 * 4),
    );
    const logs = await scene.logs(3);
    for (const row of logs) expect(row).toMatchObject({ prompt_tokens: 7, completion_tokens: 0 });
    await scene.checkBooks();
  });

  const text = 'hello "world" \n'.repeat(200_000);
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const claude = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: testModel,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
  };
  const claudeUsage = { input_tokens: 3, output_tokens: 4 };

  test.each([
    { format: "OpenAI's", path: '/v1/chat/completions', type: 1, body: { id: 'x', choices, usage } },
    { format: "Claude's", path: '/v1/messages', type: 14, body: { ...claude, usage: claudeUsage } },
  ])('a text in $format format goes on as it came, charged as its usage says', async ({ path, type, body }) => {
    await using upstream = await startRawUpstream((response) => void response.end(JSON.stringify(body)), json);
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url, type }] });
    const parsed = watchParsing();
    const answer = await scene.post(path, { model: testModel, max_tokens: 10_000, messages: [{ role: 'user', content: 'hi' }] });
    const received = await answer.text();
    expect(parsed()).toBeLessThan(longestParsed);
    expect([answer.status, received === JSON.stringify(body)]).toEqual([200, true]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
    expect(row?.other).toMatchObject({ completion_source: 'upstream' });
    await scene.checkBooks();
  });

  test('without a usage it is counted, whichever format it goes on in', async () => {
    const words = text.slice(0, 300_000);
    const message = { role: 'assistant', content: words };
    const answers = [
      JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
      JSON.stringify({ ...claude, content: [{ type: 'text', text: words }] }),
    ];
    for (const [index, path] of ['/v1/chat/completions', '/v1/messages'].entries()) {
      for (const type of [1, 14]) {
        await using upstream = await startRawUpstream((response) => void response.end(answers[type === 1 ? 0 : 1]), json);
        await using scene = await createScene(engine, { channels: [{ base_url: upstream.url, type }] });
        const answer = await scene.post(path, { model: testModel, max_tokens: 10_000, messages: [{ role: 'user', content: 'hi' }] });
        const body = await answer.json();
        expect(index === 0 ? body.choices[0].message.content === words : body.content[0].text === words).toBe(true);
        const [row] = await scene.logs(1);
        expect(row?.completion_tokens).toBeGreaterThan(20_000);
        await scene.checkBooks();
      }
    }
  });

  test.each([
    { what: 'one that breaks off', body: embeddings.slice(0, -100) },
    { what: 'one without a list', body: JSON.stringify({ other: rows }) },
    { what: 'an error beside it', body: JSON.stringify({ error: { message: 'overloaded', type: 'server_error' }, noise: rows }) },
    { what: 'a usage that cannot be', body: embeddings.replace('"total_tokens":7', '"total_tokens":-7') },
  ])('$what is no answer: another channel is asked', async ({ body }) => {
    await using upstream = await startRawUpstream((response) => void response.end(body), json);
    await using good = await startRawUpstream((response) => void response.end(embeddings), json);
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '1' },
      channels: [{ base_url: upstream.url, priority: 10 }, { base_url: good.url }],
    });
    const answer = await scene.post('/v1/embeddings', { model: testModel, input: ['x'] });
    expect([answer.status, (await answer.text()) === embeddings, upstream.calls, good.calls]).toEqual([200, true, 1, 1]);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ channel_id: scene.channelIds[1], prompt_tokens: 7 });
    await scene.checkBooks();
  });
});
