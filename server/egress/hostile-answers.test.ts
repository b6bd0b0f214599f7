// Servers that mean harm, at the other end of the guarded egress: whatever they send, it ends soon, and nothing stays open.
import { createServer, type TLSSocket } from 'node:tls';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEgress, type Network } from '#server/egress/egress.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import { publicAddress, publicName } from '#tests/support/fake-internet.ts';
import { localhostTls, trustLocalhost } from '#tests/support/trust-localhost.ts';
import { until } from '#tests/support/until.ts';

interface Hostile extends AsyncDisposable {
  network: Network;
  /** Names that were looked up, and `address:port` of connections. */
  readonly seen: string[];
  /** Heads of its requests. */
  readonly requested: string[];
  /** Connections that are open now. */
  open(): number;
}

/** @param answer writes the response to a request */
async function startHostile(answer: (socket: TLSSocket) => void): Promise<Hostile> {
  const sockets = new Set<TLSSocket>();
  const requested: string[] = [];
  const server = createServer(localhostTls, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', (bytes: Buffer) => {
      requested.push(bytes.toString('latin1').toLowerCase());
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const seen: string[] = [];
  return {
    seen,
    requested,
    open: () => sockets.size,
    network: {
      async resolve(host) {
        seen.push(host);
        return [publicAddress];
      },
      connect(address, port) {
        seen.push(`${address}:${port}`);
        return connect(own, '127.0.0.1');
      },
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function ask({ network }: Hostile, url: string, milliseconds = 5_000): Promise<string> {
  const requesting = createEgress(network).send({ url, method: 'GET', milliseconds, maxBytes: 1_000, redirects: 2 });
  return requesting.then(
    ({ status, body }) => `${status} ${body.length}`,
    (failure: unknown) => (failure instanceof EgressRefusal ? failure.reason : String(failure)),
  );
}

const head = 'HTTP/1.1 200 OK\r\n';
const bomb = gzipSync(Buffer.alloc(500_000));
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const send = (text: string | Buffer) => (socket: TLSSocket) => void socket.end(text);

/** Writes for ever: as fast as it is read, or a bit now and then. */
function endless(begin: string, more: string | Buffer, everyMs?: number): (socket: TLSSocket) => void {
  return (socket) => {
    socket.write(begin);
    if (everyMs !== undefined) {
      const timer = setInterval(() => socket.write(more), everyMs);
      socket.once('close', () => clearInterval(timer));
      return;
    }
    const fill = () => {
      while (socket.writable && socket.write(more));
      socket.once('drain', fill);
    };
    fill();
  };
}

describe('answers that mean harm', () => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  test.each([
    ['another protocol', send('SSH-2.0-x\r\n'), 'broken_answer'],
    ['a body without a head', send('hello\n'), 'broken_answer'],
    ['less than it says', send(`${head}content-length: 999\r\n\r\nabc`), 'broken_answer'],
    ['two lengths', send(`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`), 'broken_answer'],
    ['two answers', send(`${head}content-length: 2\r\n\r\nok${head}content-length: 2\r\n\r\nno`), '200 2'],
    ['a bomb, which stays packed', send(Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\n\r\n`), bomb])), `200 ${bomb.length}`],
    [
      'another protocol from now on',
      send('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
      'broken_answer',
    ],
    ['hints for ever', endless('', `HTTP/1.1 103 Early Hints\r\nlink: <${'x'.repeat(4000)}>\r\n\r\n`), 'broken_answer'],
    ['a head for ever', endless(head, `x-a: ${'b'.repeat(9000)}\r\n`), 'broken_answer'],
    ['a part whose size never ends', endless(`${chunked}1;`, 'a'.repeat(9000)), 'broken_answer'],
    ['trailers for ever', endless(`${chunked}0\r\n`, `a: ${'b'.repeat(9000)}\r\n`), 'broken_answer'],
    ['a body for ever', endless(`${head}\r\n`, Buffer.alloc(65_536)), 'too_large'],
  ])('%s', async (_what, answer, outcome) => {
    await using server = await startHostile(answer);
    expect(await ask(server, `https://${publicName}/`)).toBe(outcome);
    await until(() => server.open() === 0);
  });

  test.each([
    ['a head', endless(head, 'x', 10)],
    ['a body', endless(chunked, '1\r\nx\r\n', 10)],
    ['hints', endless('', 'HTTP/1.1 100 Continue\r\n\r\n', 60)],
  ])('%s that drips ends in time', async (_what, answer) => {
    await using server = await startHostile(answer);
    expect(await ask(server, `https://${publicName}/`, 150)).toBe('timeout');
    await until(() => server.open() === 0);
  });

  test.each([
    ['https://127.0.0.1./', 'private_address'],
    ['https://①②⑦.0.0.1/', 'private_address'],
    ['https://0177.0.0.1/', 'private_address'],
    ['https:10.0.0.1', 'private_address'],
    ['https:///10.0.0.1', 'private_address'],
    ['https://[::127.0.0.1]/', 'private_address'],
    ['https://[::ffff:0:127.0.0.1]/', 'private_address'],
    ['https://[2002:7f00:1::]/', 'private_address'],
    ['https://[64:ff9b:1::7f00:1]/', 'private_address'],
    ['https://[fe80::1%25eth0]/', 'unknown_host'],
    ['https://localhost%00.example/', 'unknown_host'],
    ['data:text/plain,hi', 'not_https'],
  ])('%s is nowhere', async (url, reason) => {
    await using server = await startHostile(send(`${head}\r\n`));
    expect(await ask(server, url)).toBe(reason);
    expect(server.seen).toEqual([]);
  });

  test.each([
    'https://u:p@localhost/',
    'https://127.0.0.1%2f@localhost/',
    'https://localhost\\@10.0.0.1/',
    'https://localhost:443/\r\nx: y',
  ])('%j is asked at the host that was judged, and told no names and passwords', async (url) => {
    await using server = await startHostile(send(`${head}content-length: 2\r\n\r\nok`));
    expect(await ask(server, url)).toBe('200 2');
    expect(server.seen).toEqual([publicName, `${publicAddress}:443`]);
    expect(server.requested).toEqual([expect.stringContaining(`\r\nhost: ${publicName}\r\n`)]);
    expect(server.requested[0]).not.toMatch(/authorization|\r\nx: y/);
  });
});
