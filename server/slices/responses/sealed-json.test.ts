import { describe, expect, it } from 'vitest';
import type { BodyHold } from '#server/http/bodies.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import { openText, sealJson, sealPieces, writeToStore } from './sealed-json.ts';

const secrets = createSecrets('a master key of some length');
const hold: BodyHold = { bytes: 0, grow: () => {}, shrinkTo: () => {} };
const bodies = {
  open: () => hold,
  inTurn: <Result>(_owner: string, work: () => Result) => Promise.resolve().then(work),
  watch: { add: () => {}, remove: () => {} },
  spool: {
    open: () => {
      throw new Error('Nothing is spooled');
    },
  },
  bytes: 0,
};
const sealing = { secrets, bodies } as unknown as Parameters<typeof sealJson>[0];

describe('JSON at rest', () => {
  it.each([
    ['an empty text', 0],
    ['a short text', 10],
    ['a text that fills a piece', 699_990],
    ['a text of several pieces', 3_500_001],
  ])('%s is opened unchanged, whatever its characters', async (_name, length) => {
    for (const letters of ['x', 'é', '用', '\u{1F600}', '"\n']) {
      const value = [{ id: 'a', text: letters.repeat(Math.ceil(length / letters.length)), more: ['b', 1.5, null] }];
      const text = JSON.stringify(value);
      const pieces = await sealJson(sealing, 'user:1', text);
      expect((await openText(sealing, 'user:1', pieces)) === text).toBe(true);
      const written = await writeToStore(value);
      expect(written.bytes).toBe(Buffer.byteLength(text));
      const others = await Array.fromAsync(sealPieces(sealing, 'user:1', written.body));
      expect((await openText(sealing, 'user:1', others)) === text).toBe(true);
      for (const piece of others) expect(piece.length).toBeLessThan(1_000_000);
    }
  });

  it('pieces that earlier versions sealed as one text are opened', async () => {
    const text = JSON.stringify(['x'.repeat(5_000_000)]);
    const sealed = secrets.encrypt(text, 'kept_json');
    const pieces = [sealed.slice(0, 4_000_000), sealed.slice(4_000_000)];
    expect((await openText(sealing, 'user:1', pieces)) === text).toBe(true);
  });

  it('a modified piece is rejected', async () => {
    const pieces = await sealJson(sealing, 'user:1', JSON.stringify(['x'.repeat(7_000_000)]));
    expect(pieces.length).toBeGreaterThan(2);
    const last = pieces.at(-1) ?? '';
    await expect(openText(sealing, 'user:1', [...pieces.slice(0, -1), `${last.slice(0, -4)}AAAA`])).rejects.toThrow();
  });
});
