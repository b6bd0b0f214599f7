// Assembly of a body while it arrives.
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBodies } from './bodies.ts';
import { readBody } from './read-body.ts';
import { createSpool } from './spool.ts';

const length = 4_000_000;
const pieceBytes = 100_000;

const pieceOf = (index: number) => Buffer.alloc(pieceBytes, String(index % 10));

/** Reads a body that declares `length`, of which `pieces` arrive. */
async function read(pieces: number): Promise<Buffer> {
  const log = pino({ level: 'silent' });
  const bodies = createBodies(
    { all: 100_000_000, perOwner: 100_000_000, timeout: 60 },
    createSpool({ folder: 'never-made', limits: { all: 0, perOwner: 0 }, log }),
  );
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(stream) {
      for (let index = 0; index < pieces; index += 1) stream.enqueue(pieceOf(index));
      stream.close();
    },
  });
  const requested = { method: 'POST', headers: { 'content-length': String(length) }, body, duplex: 'half' };
  const request = new Request('http://tide.example/', requested);
  const { bytes } = await readBody({ request, connection: null, limit: length, hold: bodies.open('user:1'), watch: bodies.watch });
  return bytes;
}

const expected = (pieces: number) => Buffer.concat(Array.from({ length: pieces }, (_, index) => pieceOf(index)));

afterEach(() => vi.restoreAllMocks());

describe('memory for a body of a declared length', () => {
  it('is not taken for what is declared alone', async () => {
    const taken = vi.spyOn(Buffer, 'allocUnsafeSlow');
    expect((await read(4)).equals(expected(4))).toBe(true);
    expect(taken).not.toHaveBeenCalledWith(length);
  });

  it('is taken once, for all of it, when it is on its way', async () => {
    const taken = vi.spyOn(Buffer, 'allocUnsafeSlow');
    expect((await read(length / pieceBytes)).equals(expected(length / pieceBytes))).toBe(true);
    expect(taken.mock.calls.filter(([size]) => size === length)).toHaveLength(1);
  });
});
