import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UpstreamSocket } from './upstream-socket.ts';

/** A connection to a provider: its messages are pushed, and writes are recorded. */
function connect() {
  const written: Buffer[] = [];
  const raw: Duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  const reported: unknown[] = [];
  const socket = new UpstreamSocket(raw, {
    message: (bytes) => reported.push(bytes.toString('utf8')),
    drained: () => {},
    closed: (code, reason) => reported.push({ code, reason }),
  });
  const closed = new Promise((resolve) => raw.once('close', resolve));
  return { raw, socket, reported, closed, written: () => Buffer.concat(written) };
}

/** A frame of a provider. */
function frame(opcode: number, payload: Buffer | string = '', { isLast = true, bits = 0 } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const length = bytes.length < 126 ? Buffer.from([bytes.length]) : Buffer.from([126, bytes.length >> 8, bytes.length & 0xff]);
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | bits | opcode]), length, bytes]);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Client frames are masked: the first byte is the opcode. */
const opcodes = (bytes: Buffer) => (bytes.length === 0 ? [] : [(bytes[0] ?? 0) & 0x0f]);

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('upstream-socket: a message comes whole however it was cut, and signs of life between its frames are answered', async () => {
  const { raw, reported, written } = connect();
  const all = Buffer.concat([frame(1, 'high ', { isLast: false }), frame(9, 'x'), frame(0, 'water', { isLast: true }), frame(1, 'next')]);
  for (const byte of all) raw.push(Buffer.from([byte]));
  await turn();
  expect(reported).toEqual(['high water', 'next']);
  expect(opcodes(written())).toEqual([10]);
});

test.each([
  ['is compressed, which nobody has agreed to', () => frame(1, 'x', { bits: 0x40 })],
  ['is masked', () => Buffer.from([0x81, 0x81, 0, 0, 0, 0, 65])],
  ['says that it is larger than any may be', () => Buffer.from([0x81, 127, 0, 0, 0, 0, 0x40, 0, 0, 0])],
  ['is of a kind that does not exist', () => frame(3, 'x')],
  ['has a sign of life that is too long', () => frame(9, Buffer.alloc(126))],
  ['has no end', () => Buffer.concat(Array.from({ length: 10_002 }, (_, at) => frame(at === 0 ? 1 : 0, 'x', { isLast: false })))],
])('upstream-socket: what %s ends the connection', async (_what, bytes) => {
  const { raw, reported, closed } = connect();
  raw.push(bytes());
  await closed;
  expect(reported).toEqual([{ code: 1006, reason: '' }]);
});

test('upstream-socket: a silent provider is asked after half a minute, and is gone after a whole one', async () => {
  const { raw, socket, written } = connect();
  expect(socket.tick()).toBe(true);
  vi.advanceTimersByTime(31_000);
  expect(socket.tick()).toBe(true);
  expect(socket.tick()).toBe(true);
  await turn();
  expect(opcodes(written())).toEqual([9]);
  raw.push(frame(10));
  await turn();
  vi.advanceTimersByTime(59_000);
  expect(socket.tick()).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(socket.tick()).toBe(false);
  // A paused provider cannot prove that it is alive.
  socket.pause();
  expect(socket.tick()).toBe(true);
});

test('upstream-socket: a close is answered with its code, and its reason is told', async () => {
  const { raw, reported, closed, written } = connect();
  raw.push(frame(8, Buffer.concat([Buffer.from([4001 >> 8, 4001 & 0xff]), Buffer.from('over')])));
  raw.push(null);
  await closed;
  expect(reported).toEqual([{ code: 4001, reason: 'over' }]);
  expect(opcodes(written())).toEqual([8]);
});

test('upstream-socket: after its own close nothing more is sent, and what still comes is read', async () => {
  const { raw, socket, reported, closed, written } = connect();
  socket.close(1000, '');
  socket.send(Buffer.from('late'));
  raw.push(frame(1, 'last'));
  raw.push(frame(8, Buffer.from([1000 >> 8, 1000 & 0xff])));
  raw.push(null);
  await closed;
  expect(reported).toEqual(['last', { code: 1000, reason: '' }]);
  // One frame: two bytes, a mask of four, and the code.
  expect(written()).toHaveLength(8);
});
