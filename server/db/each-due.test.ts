import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { eachDue } from './each-due.ts';

function run(items: readonly string[], failures: Record<string, Error>) {
  const [tried, postponed]: [string[], string[]] = [[], []];
  const done = eachDue({
    items,
    async work(item) {
      tried.push(item);
      if (failures[item] !== undefined) throw failures[item];
    },
    postpone: async (item) => postponed.push(item),
  });
  return { done, tried, postponed };
}

describe('due work', () => {
  it('postpones a failed item, continues with the next ones, and throws the first error', async () => {
    const { done, tried, postponed } = run(['a', 'b', 'c', 'd'], { b: new Error('first'), d: new Error('second') });
    await expect(done).rejects.toThrow('first');
    expect([tried, postponed]).toEqual([
      ['a', 'b', 'c', 'd'],
      ['b', 'd'],
    ]);
  });

  it('postpones items that are still due; `postpone` is optional', async () => {
    const postponed: number[] = [];
    const work = async (item: number) => item % 2 === 0;
    await eachDue({ items: [1, 2, 3], work, postpone: async (item) => postponed.push(item) });
    expect(postponed).toEqual([1, 3]);
    async function* all() {
      yield* [1, 2];
    }
    await expect(eachDue({ items: all(), work })).resolves.toBeUndefined();
  });

  it('continues after an item that cannot be postponed', async () => {
    const tried: string[] = [];
    const work = async (item: string) => {
      tried.push(item);
      return false;
    };
    const postpone = async (item: string) => {
      if (item === 'a') throw new Error('cannot be written');
    };
    await expect(eachDue({ items: ['a', 'b'], work, postpone })).rejects.toThrow('cannot be written');
    expect(tried).toEqual(['a', 'b']);
  });

  it('stops without postponing if the database is unavailable', async () => {
    const { done, tried, postponed } = run(['a', 'b', 'c'], { b: new DatabaseUnavailable('away') });
    await expect(done).rejects.toThrow(DatabaseUnavailable);
    expect([tried, postponed]).toEqual([['a', 'b'], []]);
  });
});
