import { expect, test } from 'vitest';
import { networkFailure } from '#server/exchange/upstream-error.ts';
import { StreamState } from './stream-state.ts';

test('stream state: opens, flows and ends once, without return', async () => {
  const state = new StreamState();
  const opened = state.opened();
  expect([state.isOpening, state.isFlowing, state.isEnded]).toEqual([true, false, false]);
  state.flow();
  expect([state.isOpening, state.isFlowing, state.isEnded]).toEqual([false, true, false]);
  expect(await opened).toBeNull();
  expect(state.end()).toBe(true);
  expect(state.end()).toBe(false);
  state.flow();
  expect([state.isOpening, state.isFlowing, state.isEnded]).toEqual([false, false, true]);
});

test('stream state: ended while opening, it stays refused with its failure', async () => {
  const state = new StreamState();
  const opened = state.opened();
  const failure = networkFailure();
  state.end();
  state.refuse(failure);
  state.close();
  expect(await opened).toBe(failure);
  expect(state.opened()).toBe(failure);
});

test('stream state: closed without a failure while opening, it gives no reason to try another channel', () => {
  const state = new StreamState();
  state.end();
  state.close();
  state.refuse(networkFailure());
  expect(state.opened()).toBeNull();
});
