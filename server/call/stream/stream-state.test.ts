import { expect, test } from 'vitest';
import { networkFailure } from '#server/exchange/upstream-error.ts';
import { StreamState } from './stream-state.ts';

test('stream state: it opens, flows and ends once, and never goes back', async () => {
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

test('stream state: one that ended while it opened is refused with what failed, and that stays', async () => {
  const state = new StreamState();
  const opened = state.opened();
  const failure = networkFailure();
  state.end();
  state.refuse(failure);
  state.close();
  expect(await opened).toBe(failure);
  expect(state.opened()).toBe(failure);
});

test('stream state: one that ended while it opened may also leave nothing to ask another channel for', () => {
  const state = new StreamState();
  state.end();
  state.close();
  state.refuse(networkFailure());
  expect(state.opened()).toBeNull();
});
