import { describe, expect, test } from 'vitest';
import { indexIn, partOf, PiecedBody, pieceBytes, sourceOf } from './byte-source.ts';
import type { ByteSource } from './byte-source.ts';

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
      const sent = await body.open().toArray();
      expect(Buffer.concat(sent).equals(whole)).toBe(true);
    }
    const left = body.open();
    expect(holds).toBe(1);
    left.destroy();
    await new Promise((resolve) => left.once('close', resolve));
    expect(holds).toBe(0);
  });
});
