import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { framings } from '#server/framing/registry.ts';
import { sendOverSocket } from './socket-sending.ts';
import type { SendRequest } from './send.ts';

const limits = { responseMs: 10_000, maxBytes: 1024 };

/** Sends a call over a socket; the provider's messages are pushed. */
function send(isStream: boolean) {
  const raw = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const request: SendRequest = {
    origin: 'wss://up.example',
    path: '/v1',
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    isStream,
    framing: framings.sse,
    proxy: null,
  };
  const upgrade = () => ({ response: Promise.resolve({ kind: 'upgraded' as const, socket: raw, headers: {} }), abort() {} });
  const sending = sendOverSocket({ upgrade }, request, { isLast: (message) => message === 'last' }, limits);
  return { raw, sending };
}

/** Message of a provider. */
const message = (text: string) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
/** Close frame of the provider, with code 1000. */
const close = Buffer.from([0x88, 2, 0x03, 0xe8]);
const lost = { reason: 'network', message: 'the connection was closed before the answer ended' };

it.each([
  ['without a close frame', Buffer.alloc(0)],
  ['with a close frame', close],
])('socket sending: a response that is cut off %s is a failure', async (_how, ending) => {
  const { raw, sending } = send(false);
  setImmediate(() => {
    raw.push(Buffer.concat([message('first'), ending]));
    raw.push(null);
  });
  await expect(sending.response).rejects.toMatchObject(lost);
});

it('socket sending: a stream that is cut off ends with a failure after the received events', async () => {
  const { raw, sending } = send(true);
  setImmediate(() => raw.push(message('first')));
  const reported = await sending.response;
  if (reported.kind !== 'stream') throw new Error('It does not stream');
  const received: string[] = [];
  const failed = new Promise<unknown>((resolve) => {
    reported.stream.read({
      data: (chunk) => received.push(chunk.toString('utf8')),
      end: () => resolve('ended'),
      fail: resolve,
    });
  });
  raw.push(close);
  raw.push(null);
  expect(await failed).toMatchObject(lost);
  expect(received.join('')).toContain('first');
});

it('socket sending: a response is complete once its last message was received', async () => {
  const { raw, sending } = send(false);
  setImmediate(() => raw.push(Buffer.concat([message('first'), message('last')])));
  const reported = await sending.response;
  if (reported.kind !== 'whole') throw new Error('It streams');
  expect(reported.body.toString('utf8')).toMatch(/first[^]*last/);
});
