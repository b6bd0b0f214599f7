import { expect, test } from 'vitest';
import { createAbandonedCalls } from './abandoned-calls.ts';

const limits = { calls: { all: 10, perOwner: 3 }, bytes: { all: 1_000, perOwner: 600 }, longestMs: 60_000 };
const nothing = () => {};

test('left calls: the bytes of all responses together are bounded, and those of one user', () => {
  const left = createAbandonedCalls(limits);
  const [first, second, other] = [left.keep(1, nothing), left.keep(1, nothing), left.keep(2, nothing)];
  expect(first?.grow(400)).toBe(true);
  expect(second?.grow(201)).toBe(false);
  expect(second?.grow(200)).toBe(true);
  expect(other?.grow(401)).toBe(false);
  expect(other?.grow(400)).toBe(true);
  // The size that it has, not what has come.
  expect(first?.grow(400)).toBe(true);
  expect(first?.grow(401)).toBe(false);
  first?.ended();
  first?.ended();
  expect(other?.grow(600)).toBe(true);
  for (const call of [second, other]) call?.ended();
  expect(left.keep(3, nothing)?.grow(600)).toBe(true);
});

test('left calls: one user keeps so many, all together so many, and none when the server ends', () => {
  const left = createAbandonedCalls(limits);
  const ended: number[] = [];
  const keep = (user: number) => left.keep(user, () => void ended.push(user));
  const own = [keep(1), keep(1), keep(1)];
  expect(keep(1)).toBeNull();
  own[0]?.ended();
  expect(keep(1)).not.toBeNull();
  for (const user of [2, 2, 2, 3, 3, 3, 4]) expect(keep(user)).not.toBeNull();
  expect(keep(5)).toBeNull();
  left.shutDown();
  expect(ended).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4]);
  own[1]?.ended();
  expect(keep(6)).toBeNull();
});
