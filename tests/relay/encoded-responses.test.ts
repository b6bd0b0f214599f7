// Answers that come compressed, marked, wrongly typed or with more around them than HTTP needs.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, readEvents, testModel } from '#tests/support/relay-scene.ts';

const once0 = { RetryTimes: '0' };
const event = (fields: object) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...fields })}\n\n`;
const word = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const completion = (content = 'Hi') =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage });

const encoders = {
  gzip: [zlib.gzipSync, zlib.createGzip],
  deflate: [zlib.deflateSync, zlib.createDeflate],
  'deflate without its frame': [zlib.deflateRawSync, zlib.createDeflateRaw],
  br: [zlib.brotliCompressSync, zlib.createBrotliCompress],
  zstd: [zlib.zstdCompressSync, zlib.createZstdCompress],
} as const;
const names = Object.keys(encoders) as (keyof typeof encoders)[];
const header = (name: string) => ({ 'content-encoding': name.split(' ')[0] });

describe.each(oneEngine)('encoded answers on $kind', (engine) => {
  test.each(names)('a whole answer in %s is read', async (name) => {
    const bytes = encoders[name][0](Buffer.from(completion()));
    await using upstream = await startRawUpstream((response) => void response.end(bytes), {
      type: 'application/json',
      headers: header(name),
    });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    const answer = await scene.chat();
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null]);
    expect(await answer.json()).toMatchObject({ usage });
    expect((await scene.logs(1))[0]).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
  });

  test.each(names)('events of a stream in %s leave one by one', async (name) => {
    let next = () => {};
    await using upstream = await startRawUpstream(
      async (response) => {
        const encoder = encoders[name][1]();
        encoder.pipe(response);
        for (const text of ['one', 'two', 'three']) {
          encoder.write(word(text));
          encoder.flush();
          await new Promise<void>((resolve) => (next = resolve));
        }
        encoder.end(`${event({ choices: [], usage })}data: [DONE]\n\n`);
      },
      { headers: header(name) },
    );
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    const answer = await scene.chat({ stream: true });
    let text = '';
    const seen: string[] = [];
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      // The next one is written only when this one has arrived.
      for (const content of ['one', 'two', 'three']) {
        if (seen.includes(content) || !text.includes(`"${content}"`)) continue;
        seen.push(content);
        next();
      }
    }
    expect(seen).toEqual(['one', 'two', 'three']);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect((await scene.logs(1))[0]).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
    await scene.checkBooks();
  });

  test('two encodings, one over the other, and an error in one', async () => {
    const text = JSON.stringify({ error: { message: 'max_tokens is too large', type: 'invalid_request_error' } });
    const bytes = zlib.brotliCompressSync(zlib.gzipSync(text));
    await using upstream = await startRawUpstream((response) => void response.end(bytes), {
      status: 400,
      headers: { 'content-encoding': 'gzip, br' },
    });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    const answer = await scene.chat();
    expect([answer.status, (await answer.json()).error.message]).toEqual([400, expect.stringContaining('max_tokens is too large')]);
  });

  test.each([
    ['an unknown encoding', 'compress', Buffer.from(completion())],
    ['a chain of encodings', 'gzip, gzip, gzip', zlib.gzipSync(zlib.gzipSync(zlib.gzipSync(completion())))],
    ['bytes that are not what they are called', 'gzip', Buffer.from(completion())],
    ['half of its bytes', 'gzip', zlib.gzipSync(completion()).subarray(0, 40)],
    ['blanks that expand a thousandfold', 'gzip', zlib.gzipSync(`${' '.repeat(64_000_000)}${completion()}`)],
  ])('%s are no answer, and another channel is tried', async (_, encoding, bytes) => {
    for (const stream of [false, true]) {
      await using upstream = await startRawUpstream((response) => void response.end(bytes), {
        type: stream ? 'text/event-stream' : 'application/json',
        headers: { 'content-encoding': encoding },
      });
      await using scene = await createScene(engine, { channels: [{ base_url: upstream.url, priority: 9 }, {}] });
      const answer = await scene.chat({ stream });
      expect(answer.status).toBe(200);
      await answer.text();
      expect([upstream.calls, scene.upstream.requests.length]).toEqual([1, 1]);
      await scene.checkBooks();
    }
  });

  test('a stream that expands without end is ended', async () => {
    const bomb = zlib.gzipSync(word('one') + `: ${'x'.repeat(1000)}\n`.repeat(64_000));
    await using upstream = await startRawUpstream((response) => void response.end(bomb), { headers: { 'content-encoding': 'gzip' } });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect(JSON.parse(events.at(-1) ?? '{}').error).toMatchObject({ code: 'invalid_upstream_response' });
    expect((await scene.logs(1))[0]?.other).toMatchObject({ ending: 'invalid_answer' });
    await scene.checkBooks();
  });

  test.each([
    ['a byte order mark', `\uFEFF${completion()}`, 'application/json'],
    ['the type of a stream', completion(), 'text/event-stream'],
    ['the type of a page', completion(), 'text/html'],
    ['no type', completion(), 'none'],
  ])('a whole answer with %s is read, asked for whole or as a stream', async (_, text, type) => {
    await using upstream = await startRawUpstream((response) => void response.end(text), { type });
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    expect(await (await scene.chat()).json()).toMatchObject({ usage });
    expect((await readEvents(await scene.chat({ stream: true }))).at(-1)).toBe('[DONE]');
    for (const row of await scene.logs(2)) expect(row).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
  });

  test('an error that calls itself a stream keeps its words', async () => {
    const text = JSON.stringify({ error: { message: 'Too many images', type: 'invalid_request_error' } });
    await using upstream = await startRawUpstream((response) => void response.end(text));
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    const answer = await scene.chat({ stream: true });
    expect([answer.status, (await answer.json()).error.message]).toEqual([502, expect.stringContaining('Too many images')]);
  });

  test.each(['text/plain', 'TEXT/Event-Stream; charset=utf-8'])('a stream of type %s may come byte by byte, with a mark', async (type) => {
    await using upstream = await startRawUpstream(
      async (response) => {
        for (const byte of Buffer.from(`\uFEFF: hello\r\n\r\n${word('one')}data: [DONE]\r\n\r\n`)) {
          response.write(Buffer.from([byte]));
          await new Promise(setImmediate);
        }
        response.end();
      },
      { type },
    );
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    const events = await readEvents(await scene.chat({ stream: true }));
    expect([events.length, events.at(-1)]).toEqual([2, '[DONE]']);
  });
});

/** A provider that writes these bytes after each request, whatever they are. */
async function startSocketUpstream(bytes: string) {
  let calls = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (!chunk.toString('latin1').includes('POST ')) return;
      calls += 1;
      socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls: () => calls, [Symbol.dispose]: () => void server.close() };
}

describe.each(oneEngine)('odd HTTP on $kind', (engine) => {
  const body = completion('Mine');
  const head = (length: number, more = '') =>
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${more}content-length: ${length}\r\n\r\n`;
  const whole = head(body.length) + body;
  const stolen = completion('Not yours');

  test.each([
    ['early hints before the answer', `${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50)}${whole}`],
    ['bytes after its end', `${whole}and more`],
    ['two answers', `${whole}${head(stolen.length)}${stolen}`],
  ])('%s: every call gets its own answer', async (_, bytes) => {
    using upstream = await startSocketUpstream(bytes);
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url }], settings: once0 });
    for (let call = 0; call < 3; call += 1) {
      const answer = await scene.chat();
      if (answer.status === 200) expect((await answer.json()).choices[0].message.content).toBe('Mine');
      else expect(answer.status).toBe(502);
    }
    expect(upstream.calls()).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test.each([
    ['headers of 100 kB', head(body.length, `x-long: ${'x'.repeat(100_000)}\r\n`) + body],
    ['a redirect', 'HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/steal\r\ncontent-length: 0\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ])('%s: another channel is tried, and the key goes nowhere else', async (_, bytes) => {
    using upstream = await startSocketUpstream(bytes);
    await using scene = await createScene(engine, { channels: [{ base_url: upstream.url, priority: 9 }, {}] });
    const answer = await scene.chat({ model: testModel });
    expect([answer.status, upstream.calls(), scene.upstream.requests.length]).toEqual([200, 1, 1]);
    expect(await answer.text()).not.toContain('steal');
    await scene.checkBooks();
  });
});
