import { expect, test } from 'vitest';
import { createExcessCharges } from './excess-charges.ts';

test('excess charges: an account waits for all its excess charges, and other accounts do not', async () => {
  const excess = createExcessCharges();
  expect(excess.settled(7)).toBeUndefined();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  excess.begin(7, first.promise);
  excess.begin(7, second.promise);
  expect(excess.settled(8)).toBeUndefined();
  let isOver = false;
  const waiting = excess.settled(7)?.then(() => (isOver = true));
  first.resolve();
  await first.promise;
  expect(isOver).toBe(false);
  second.reject(new Error('the database is closed'));
  await waiting;
  expect(isOver).toBe(true);
  expect(excess.settled(7)).toBeUndefined();
});
