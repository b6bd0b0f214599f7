import { expect, test } from 'vitest';
import { createAbandonedCalls } from './abandoned-calls.ts';

const limits = { calls: { all: 10, perOwner: 3 }, bytes: { all: 1_000, perOwner: 600 }, longestMs: 60_000 };
const nothing = () => {};

test('abandoned calls: bytes of responses are limited in total and per user', () => {
  const left = createAbandonedCalls(limits);
  const [first, second, other] = [left.admit(1, nothing), left.admit(1, nothing), left.admit(2, nothing)];
  expect(first?.grow(400)).toBe(true);
  expect(second?.grow(201)).toBe(false);
  expect(second?.grow(200)).toBe(true);
  expect(other?.grow(401)).toBe(false);
  expect(other?.grow(400)).toBe(true);
  // The argument is the total size, not an increment.
  expect(first?.grow(400)).toBe(true);
  expect(first?.grow(401)).toBe(false);
  first?.ended();
  first?.ended();
  expect(other?.grow(600)).toBe(true);
  for (const call of [second, other]) call?.ended();
  expect(left.admit(3, nothing)?.grow(600)).toBe(true);
});

test('abandoned calls: their number is limited per user and in total, and all end when the server shuts down', () => {
  const left = createAbandonedCalls(limits);
  const ended: number[] = [];
  const admit = (user: number) => left.admit(user, () => void ended.push(user));
  const own = [admit(1), admit(1), admit(1)];
  expect(admit(1)).toBeNull();
  own[0]?.ended();
  expect(admit(1)).not.toBeNull();
  for (const user of [2, 2, 2, 3, 3, 3, 4]) expect(admit(user)).not.toBeNull();
  expect(admit(5)).toBeNull();
  left.shutDown();
  expect(ended).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4]);
  own[1]?.ended();
  expect(admit(6)).toBeNull();
});
