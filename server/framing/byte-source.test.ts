import { getDefaultHighWaterMark } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type ByteSource, indexIn, partOf, pieceBytes, PiecedBody, type ReadBuffer, sourceOf } from './byte-source.ts';
import { freeBytes } from './free-bytes.ts';

describe('a source of bytes', () => {
  test('finds what lies across its pieces', async () => {
    const mark = Buffer.from('\r\n--boundary');
    for (const place of [0, 1, pieceBytes - 12, pieceBytes - 11, pieceBytes - 1, pieceBytes, 2 * pieceBytes - 3]) {
      const bytes = Buffer.alloc(3 * pieceBytes, '\r\n--bound');
      mark.copy(bytes, place);
      expect(await indexIn(sourceOf(bytes), mark, 0)).toBe(place);
      expect(await indexIn(sourceOf(bytes), mark, place)).toBe(place);
      expect(await indexIn(sourceOf(bytes), mark, place + 1)).toBe(-1);
    }
  });

  test('a body of several is sent as often as it is asked for, and holds them until then', async () => {
    let holds = 0;
    const held = (source: ByteSource): ByteSource => ({
      size: source.size,
      read: (from, to) => Promise.resolve(source.read(from, to)),
      hold() {
        holds += 1;
        return () => void (holds -= 1);
      },
    });
    const bytes = Buffer.alloc(2 * pieceBytes + 5, 'tide');
    const body = new PiecedBody([sourceOf(Buffer.from('a')), held(partOf(sourceOf(bytes), 3, bytes.length)), sourceOf(Buffer.from('z'))]);
    expect(body.size).toBe(bytes.length - 1);
    const whole = Buffer.concat([Buffer.from('a'), bytes.subarray(3), Buffer.from('z')]);
    for (const _time of [1, 2]) {
      const sending = body.open();
      const sent: Buffer[] = [];
      for await (const piece of sending) sent.push(Buffer.from(piece));
      expect(Buffer.concat(sent).equals(whole)).toBe(true);
      expect(holds).toBe(0);
    }
    const left = body.open();
    expect(holds).toBe(1);
    left.close();
    left.close();
    expect(holds).toBe(0);
  });

  test('pieces of full length are read into one memory, and shorter ones are not', async () => {
    const bytes = Buffer.alloc(3 * pieceBytes + 5, 'tide');
    const into: (ReadBuffer | undefined)[] = [];
    const onDisk: ByteSource = {
      ...sourceOf(bytes),
      read(from, to, reused) {
        into.push(reused);
        const piece = reused?.take(to - from) ?? Buffer.alloc(to - from);
        bytes.copy(piece, 0, from, to);
        return Promise.resolve(piece);
      },
    };
    const pieces: ArrayBufferLike[] = [];
    for await (const { buffer } of new PiecedBody([onDisk]).open()) pieces.push(buffer);
    expect(into.map((reused) => reused !== undefined)).toEqual([true, true, true, false]);
    expect(new Set(pieces.slice(0, 3)).size).toBe(1);
    expect(pieces[3]).not.toBe(pieces[0]);
    // A socket may buffer up to this size before it applies back-pressure: the next piece must not overwrite it.
    expect(pieceBytes).toBeGreaterThanOrEqual(getDefaultHighWaterMark(false));
  });

  test('memory that is given back is gone, and what others share is not', () => {
    const own = Buffer.allocUnsafeSlow(1000);
    freeBytes(own);
    expect(own.length).toBe(0);
    const shared = Buffer.allocUnsafeSlow(1000);
    for (const part of [shared.subarray(0, 10), shared.subarray(10)]) {
      freeBytes(part);
      expect(part.length).toBeGreaterThan(0);
    }
    const pooled = Buffer.from('tide');
    freeBytes(pooled);
    expect(pooled.toString()).toBe('tide');
  });
});
