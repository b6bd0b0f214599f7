import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

const items = Array.from({ length: 20 }, (_, place) => place);

test('in-parallel: every item has its turn once, and never more at once than may be', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel(items, 3, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted((one, other) => one - other)).toEqual(items);
  expect(most).toBe(3);
});

test('in-parallel: one that fails keeps no other from being done, and is told at the end', async () => {
  const done: number[] = [];
  const work = inParallel(items, 3, async (item) => {
    await new Promise(setImmediate);
    if (item % 5 === 1) throw new Error(`Item ${item}`);
    done.push(item);
  });
  await expect(work).rejects.toThrow('Item 1');
  expect(done).toHaveLength(16);
});

test('in-parallel: nothing to do is done', async () => {
  await expect(inParallel([], 3, () => Promise.reject(new Error('There is nothing')))).resolves.toBeUndefined();
});
