// `npm run bench -- uploads [count]`: what forms of 60 MB take of a server's memory that come at once, wait for their provider and are sent. The
// bound is 4 MB each. The provider speaks TLS, as providers do; `-- uploads [count] plain`: it does not.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { startServer } from '#tests/support/server-process.ts';
import { localhostTls } from '#tests/support/trust-localhost.ts';

const megabyte = 1024 * 1024;
const size = 60 * 1000 * 1000;
const smallSize = 10_000;
/** Forms that come first, in turns of so many. */
const [smallCalls, smallAtOnce] = [100, 16];
/** The first one meets a server that has never had a large form. */
const rounds = ['cold', 'warm', 'warm', 'warm'];
const piece = Buffer.alloc(64 * 1024, 7);
const boundary = 'a-bench-of-uploads';
const model = 'whisper-1';
const certificate = fileURLToPath(new URL('../fixtures/tls/localhost.pem', import.meta.url));

/** @returns bytes of memory that each of them adds at the most */
export async function benchUploads(count: number, isPlain: boolean): Promise<number> {
  let received = 0;
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    incoming.on('data', (chunk: Buffer) => (received += chunk.length));
    incoming.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ text: 'tide', usage: { type: 'duration', seconds: 1 } }));
    });
  };
  const upstream = isPlain ? createServer(serve) : createTlsServer(localhostTls, serve);
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const scratch = await createScratch(undefined);
  const key = await scratch.withContext(async (context) => {
    const address = `${isPlain ? 'http' : 'https'}://localhost:${(upstream.address() as AddressInfo).port}`;
    await context.db.collection('channels').insert(buildChannel({ id: 1, models: model, base_url: address }, context.secrets));
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    await context.ledger.change({ account: 'user', id: user.id, amount: 5_000_000_000, kind: 'test', ref: 'bench', actorId: 0 });
    return (await createToken(context, user.id)).key;
  });
  const server = await startServer({ DATABASE_URL: scratch.url, MAX_SPOOL_PER_USER_MB: '4096', NODE_EXTRA_CA_CERTS: certificate });
  try {
    // What any calls cost is not theirs: code, connections, and a young generation that takes its full size at the first collection.
    for (let turn = 0; turn < smallCalls; turn += 1)
      await Promise.all(Array.from({ length: smallAtOnce }, () => upload(server.origin, key, smallSize)));
    await sleep(2_000);
    const idle = server.memory();
    let most = 0;
    for (const round of rounds) {
      received = 0;
      let peak = 0;
      const watch = setInterval(() => (peak = Math.max(peak, server.memory())), 10);
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: count }, () => upload(server.origin, key, size)));
      clearInterval(watch);
      const seconds = (performance.now() - startedAt) / 1000;
      // Against what it had before the first round: what an earlier one has left is theirs, too.
      const each = (peak - idle) / count;
      most = Math.max(most, each);
      const figures = `${(each / megabyte).toFixed(2)} MB each, ${(received / 1e6 / seconds).toFixed(0)} MB/s`;
      process.stdout.write(`${round}: ${count} forms of ${size / 1e6} MB: ${figures}\n`);
      await sleep(1_000);
    }
    return most;
  } finally {
    await server.kill('SIGTERM');
    await scratch.remove();
    upstream.close();
    upstream.closeAllConnections();
  }
}

async function upload(origin: string, key: string, bytes: number): Promise<void> {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: audio/mpeg\r\n\r\n`;
  const end = `\r\n--${boundary}--\r\n`;
  const sending = request(`${origin}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + bytes + end.length,
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('error', reject);
    sending.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
  });
  await pipeline(Readable.from(piecesOf(head, bytes, end), { objectMode: false }), sending);
  const status = await answered;
  if (status !== 200) throw new Error(`An upload was answered with ${status}`);
}

function* piecesOf(head: string, bytes: number, end: string): Generator<Buffer> {
  yield Buffer.from(head);
  for (let left = bytes; left > 0; left -= piece.length) yield left < piece.length ? piece.subarray(0, left) : piece;
  yield Buffer.from(end);
}
