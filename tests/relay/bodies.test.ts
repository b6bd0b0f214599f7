// What a body may cost: before it is read, while it is, and while an upstream takes its time.
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { promptContent } from '#server/formats/openai-chat/prompt-content.ts';
import { countPrompt } from '#server/exchange/token-estimate.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';
import { createToken } from '#tests/support/build-token.ts';
import { until } from '#tests/support/until.ts';

const path = '/v1/chat/completions';
const bodyOf = (content: string, fields: Record<string, unknown> = {}) => ({
  model: testModel,
  messages: [{ role: 'user', content }],
  ...fields,
});

/** Sends a head, and as much of a body as is given, and returns what comes back until the server closes the connection. */
async function sendHead(scene: RelayScene, key: string, head: readonly string[], body = ''): Promise<string> {
  const socket = connect(scene.app.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write([`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...head, '', body].join('\r\n'));
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const closing = 'Connection: close';
const codeOf = async (response: Response): Promise<unknown[]> => [response.status, (await response.json()).error?.code];

describe.each(oneEngine)('bodies on $kind', (engine) => {
  test('who cannot pay for anything is told so before the body is read', async () => {
    await using scene = await createScene(engine, { quota: 0 });
    const packed = [closing, 'Content-Encoding: gzip', 'Content-Length: 62000'];
    const poor = await sendHead(scene, scene.key, packed);
    expect(poor).toContain('HTTP/1.1 403');
    expect(poor).toContain('insufficient_user_quota');
    expect(poor).toContain('user quota is not enough');
    const rich = await scene.app.createUser({ quota: 1_000_000 });
    const { key, token } = await createToken(scene.app.context, rich.id, { quota: 5 });
    await scene.app.context.ledger.change({ account: 'token', id: token.id, amount: -5, kind: 'test', ref: 'empty', actorId: 0 });
    const spent = await sendHead(scene, key, [closing, 'Content-Length: 60000000']);
    expect(spent).toMatch(/HTTP\/1\.1 40[13]/);
    expect(spent).toMatch(/key_exhausted|pre_consume_token_quota_failed/);
    const requesting = await sendHead(scene, scene.key, ['Expect: 100-continue', 'Content-Length: 60000000']);
    expect(requesting).toMatch(/^HTTP\/1\.1 403/);
  });

  test('a client that asks first is asked to go on', async () => {
    await using scene = await createScene(engine);
    const body = JSON.stringify(bodyOf('x'.repeat(40_000)));
    const answer = await sendHead(scene, scene.key, [closing, 'Expect: 100-continue', `Content-Length: ${body.length}`], body);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(answer.match(/100 Continue/g)).toHaveLength(1);
  });

  test('what expands beyond reason is refused, in every coding; what does not is read', async () => {
    await using scene = await createScene(engine);
    const bomb = JSON.stringify(bodyOf(' '.repeat(20_000_000)));
    const honest = JSON.stringify(bodyOf('a sentence that comes again '.repeat(20_000)));
    const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
    for (const [coding, pack] of Object.entries(codings)) {
      const send = (text: string) =>
        fetch(`${scene.app.origin}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${scene.key}`, 'content-encoding': coding },
          body: new Uint8Array(pack(text)),
        });
      expect(await codeOf(await send(bomb))).toEqual([413, 'body_expands']);
      expect((await send(honest)).status).toBe(200);
    }
    expect(scene.upstream.requests.map(({ text }) => text)).toEqual([honest, honest, honest, honest]);
    await until(() => scene.app.context.bodies.bytes === 0);
  });

  test('what would be too much once it is parsed is refused before', async () => {
    await using scene = await createScene(engine);
    const fields = (value: string) => `{"model":"${testModel}","messages":[{"role":"user","content":"x"}],"tools":${value}}`;
    expect(await codeOf(await scene.post(path, fields(`[${'{},'.repeat(500_000)}{}]`)))).toEqual([413, 'body_too_complex']);
    expect(await codeOf(await scene.post(path, fields(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)))).toEqual([400, 'body_too_deep']);
    expect((await scene.post(path, fields(`[${'{},'.repeat(500)}{}]`))).status).toBe(200);
    const english = await scene.post(path, fields('['.repeat(101)), { 'accept-language': 'en' });
    expect((await english.json()).error.message).toContain('The request body is nested more than 100 levels deep');
  });

  test('one user holds so much and not more; another one goes on, until the process holds all it may', async () => {
    await using scene = await createScene(engine, {
      env: { MAX_REQUEST_BODY_MB: '8', MAX_BODIES_PER_USER_MB: '1', MAX_BODIES_MB: '110' },
    });
    const { context } = scene.app;
    const keyOf = async () => (await createToken(context, (await scene.app.createUser({ quota: 500_000_000 })).id)).key;
    scene.upstream.behave({ holdAfter: 0 });
    const body = JSON.stringify(bodyOf('x'.repeat(7_500_000)));
    /** Sends calls without a response until one is refused. */
    const fill = async (key: string): Promise<{ held: number; refusal: Response }> => {
      for (let held = 0; ; held += 1) {
        const before = context.bodies.bytes;
        const answer = scene.post(path, body, { authorization: `Bearer ${key}` });
        const isHeld = until(() => context.bodies.bytes >= before + 15_000_000).then(() => null);
        const refusal = await Promise.race([answer, isHeld]);
        if (refusal !== null) {
          isHeld.catch(() => {});
          return { held, refusal };
        }
        answer.catch(() => {});
      }
    };
    const first = await fill(scene.key);
    expect(first.held).toBeGreaterThan(1);
    expect(Number(first.refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(first.refusal)).toEqual([429, 'bodies_of_caller']);
    const second = await fill(await keyOf());
    expect(second.held).toBeGreaterThan(1);
    expect(Number(second.refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(second.refusal)).toEqual([503, 'bodies_of_server']);
    await until(() => scene.upstream.requests.length === first.held + second.held);
    // Small calls find room all the same.
    scene.upstream.queue({});
    expect((await scene.chat({}, { authorization: `Bearer ${await keyOf()}` })).status).toBe(200);
    for (const request of scene.upstream.requests) request.release();
    await until(() => context.bodies.bytes === 0);
  });

  test('a body that comes byte by byte is not waited for', async () => {
    await using scene = await createScene(engine, { env: { CLIENT_TIMEOUT: '1' } });
    const answer = await sendHead(scene, scene.key, [closing, 'Content-Length: 1000'], '{"model":');
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('body_timeout');
  });

  test('a client that goes on sending after a refusal reads it, if it ends soon; else its connection is closed', async () => {
    await using scene = await createScene(engine);
    const refused = async (head: string) => {
      const socket = connect(scene.app.port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      await once(socket, 'connect');
      socket.write([`POST ${path} HTTP/1.1`, 'Host: x', 'Authorization: Bearer sk-nobody', head, '', ''].join('\r\n'));
      let answer = '';
      socket.on('data', (chunk) => (answer += String(chunk)));
      await until(() => answer.includes('key_invalid'));
      return { socket, closed, answer: () => answer };
    };
    const size = 4_000_000;
    const finishing = await refused(`Content-Length: ${size}`);
    for (let sent = 0; sent < size; sent += size / 4) {
      finishing.socket.write('x'.repeat(size / 4));
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The connection serves what comes next.
    finishing.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await finishing.closed;
    expect(finishing.answer()).toMatch(/^HTTP\/1\.1 401 [^]+HTTP\/1\.1 200 /);

    const slow = await refused('Content-Length: 1000000');
    const drip = setInterval(() => slow.socket.write('x'), 100);
    const endless = await refused('Transfer-Encoding: chunked');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    while (!endless.socket.destroyed && endless.socket.bytesWritten < 60_000_000) {
      const isFull = !endless.socket.write(chunk);
      if (isFull) await Promise.race([new Promise((resolve) => endless.socket.once('drain', resolve)), endless.closed]);
    }
    expect(endless.socket.bytesWritten).toBeLessThan(60_000_000);
    await slow.closed;
    clearInterval(drip);
    expect(slow.socket.bytesWritten).toBeLessThan(1_000_000);
  });

  test('a long body is kept for another channel, and its prompt can still be counted', async () => {
    await using scene = await createScene(engine, {
      channels: [{ priority: 1 }, { model_mapping: JSON.stringify({ [testModel]: 'mapped' }) }],
      settings: { RetryTimes: '3' },
    });
    const body = bodyOf('Some words that are counted. '.repeat(10_000));
    for (const stream of [false, true]) {
      scene.upstream.queue({ status: 500 }, { usage: 'none' });
      const response = await scene.chat({ ...body, stream });
      expect(response.status).toBe(200);
      await response.text();
    }
    const [first, second] = scene.upstream.requests;
    expect(first?.text).toBe(JSON.stringify({ ...body, stream: false }));
    expect(second?.body).toEqual({ ...body, stream: false, model: 'mapped' });
    const rows = await scene.logs(2);
    const counted = await countPrompt(promptContent(body, testModel), testModel, { owner: 1, isEstimated: false });
    expect(rows.map((row) => row.prompt_tokens)).toEqual([counted, counted]);
    expect(rows.every((row) => row.other?.['prompt_source'] === 'counted')).toBe(true);
    await until(() => scene.app.context.bodies.bytes === 0);
    await scene.checkBooks();
  });
});
