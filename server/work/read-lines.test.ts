import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FileTooLarge, linesOf } from './read-lines.ts';

const bounds = { longest: 1000, largest: 10_000_000, silenceMs: 1000 };

async function numbersOf(bytes: Buffer, most = {}): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of linesOf(bytes, { ...bounds, ...most })) numbers.push(number);
  return numbers;
}

test('others have their turn while blank lines are left out', async () => {
  let turns = 0;
  let isOver = false;
  const watch = async () => {
    for (; !isOver; turns += 1) await sleep(0);
  };
  const watching = watch();
  expect(await numbersOf(Buffer.from(`${'\n'.repeat(400_000)}{}`))).toEqual([400_001]);
  isOver = true;
  await watching;
  expect(turns).toBeGreaterThan(3);
});

test('blank lines count against those that a file may have', async () => {
  expect(await numbersOf(Buffer.from('\n \n{}\n{}'), { mostLines: 4 })).toEqual([3, 4]);
  await expect(numbersOf(Buffer.from('\n \n\n{}\n{}'), { mostLines: 4 })).rejects.toThrow(FileTooLarge);
});
