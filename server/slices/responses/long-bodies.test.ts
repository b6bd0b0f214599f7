import { describe, expect, it } from 'vitest';
import { bytesOf, objectIn } from '#server/objects/long-bodies.ts';

/** Counts the turns of the event loop during the work. */
async function turnsWhile<Result>(work: () => Promise<Result>): Promise<{ turns: number; result: Result }> {
  let turns = 0;
  let waiting = setImmediate(function count() {
    turns += 1;
    waiting = setImmediate(count);
  });
  const result = await work();
  clearImmediate(waiting);
  return { turns, result };
}

describe('bodies of megabytes', () => {
  const value = { id: 'a', output: [{ text: 'é"\n'.repeat(1_000_000) }, { text: 'x'.repeat(300) }], usage: { n: 1.5 }, none: null };
  const json = JSON.stringify(value);

  it('are parsed and serialized in steps that yield to the event loop', async () => {
    const read = await turnsWhile(() => objectIn(Buffer.from(json)));
    expect(JSON.stringify(read.result) === json).toBe(true);
    const written = await turnsWhile(() => bytesOf(value, Infinity));
    expect(written.result.equals(Buffer.from(json))).toBe(true);
    for (const { turns } of [read, written]) expect(turns).toBeGreaterThanOrEqual(2);
  });

  it('are parsed and serialized at once if short', async () => {
    expect(await objectIn(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
    expect((await bytesOf({ a: 1 }, 7)).toString()).toBe('{"a":1}');
  });

  it.each([
    ['a list', `["${'x'.repeat(300_000)}"]`],
    ['broken', `{"a":"${'x'.repeat(300_000)}"`],
    ['nested too deep', `{"a":"${'x'.repeat(300_000)}","b":${'['.repeat(3_000)}${']'.repeat(3_000)}}`],
    ['with a broken text', `{"a":"${'x'.repeat(300_000)}\n"}`],
  ])('that are %s parse to null', async (_name, text) => {
    expect(await objectIn(Buffer.from(text))).toBeNull();
  });
});
