import { expect, it } from 'vitest';
import { AccountLines } from './account-lines.ts';
import { QueueFull } from './fair-queue.ts';

it('refuses beyond the places of one account, not of another, and forgets who has left', async () => {
  const lines = new AccountLines({ atOnce: 2, places: 1 });
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const started: string[] = [];
  const begin = (account: string, name: string) =>
    lines.run(account, async () => {
      started.push(name);
      await gate;
      return name;
    });
  const held = [begin('a', 'a1'), begin('a', 'a2'), begin('a', 'a3')];
  await expect(begin('a', 'a4')).rejects.toThrow(QueueFull);
  held.push(begin('b', 'b1'));
  // Work starts one turn after its slot is free.
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(['a1', 'a2', 'b1']);
  release();
  expect(await Promise.all(held)).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect(lines.size).toBe(0);
  expect(await begin('a', 'again')).toBe('again');
});
