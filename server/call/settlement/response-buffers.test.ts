import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createResponseBuffers } from './response-buffers.ts';

/** A response that comes in pieces of ten bytes, as far as it may. */
function arrange(limits = { all: 200, forLittle: 0, little: 0 }) {
  const responses = createResponseBuffers(limits);
  const open = (userId: number, size: number) => {
    const held = responses.open(userId);
    const state = { bytes: 0, isDone: false, held };
    const come = (): void => {
      while (state.bytes < size) {
        state.bytes += 10;
        if (!held.grow(state.bytes, come)) return;
      }
      state.isDone = true;
      held.arrived(state.bytes);
    };
    return { state, come };
  };
  return { responses, open };
}

test('response buffers: a response without room is paused until its turn comes, and resumed', () => {
  const { responses, open } = arrange();
  const first = open(1, 100);
  const second = open(1, 50);
  const other = open(2, 90);
  for (const response of [first, second, other]) response.come();
  expect(first.state.isDone).toBe(true);
  // One piece too many is there already.
  expect(second.state).toMatchObject({ isDone: false, bytes: 10 });
  expect(other.state.isDone).toBe(true);
  first.state.held.ended();
  expect(second.state.isDone).toBe(true);
  for (const response of [second, other]) response.state.held.ended();
  expect(responses.bytes).toBe(0);
});

test('response buffers: a response larger than the total limit is read alone, and the next one after it', () => {
  const { responses, open } = arrange();
  const large = open(1, 500);
  const next = open(2, 500);
  for (const response of [large, next]) response.come();
  expect([large.state.isDone, next.state.isDone]).toEqual([true, false]);
  large.state.held.ended();
  expect(next.state.isDone).toBe(true);
  next.state.held.ended();
  expect(responses.bytes).toBe(0);
});

test('response buffers: a response paused by the limit of its user does not pause other users', () => {
  const { responses, open } = arrange();
  const unread = open(1, 20);
  const behind = open(1, 100);
  const other = open(2, 100);
  for (const response of [unread, behind, other]) response.come();
  expect([unread.state.isDone, behind.state.isDone, other.state.isDone]).toEqual([true, false, true]);
  unread.state.held.ended();
  other.state.held.ended();
  expect(behind.state.isDone).toBe(true);
  behind.state.held.ended();
  expect(responses.bytes).toBe(0);
});

test('response buffers: a later user has a share however much others leave unread, and little responses do not wait', () => {
  const limits = { all: 20_000, forLittle: 1_200, little: 100 };
  const { responses, open } = arrange(limits);
  for (const user of [1, 2, 3]) for (let count = 0; count < 20; count += 1) open(user, 1_600).come();
  // Each that waits has come a piece too far.
  expect(responses.bytes).toBeLessThanOrEqual(limits.all + 60 * 10);
  const [long, little, own] = [open(4, 1_600), open(5, 100), open(1, 100)];
  for (const response of [little, own, long]) response.come();
  expect([little.state.isDone, own.state.isDone, long.state.isDone]).toEqual([true, true, true]);
});

test('response buffers: parallel responses of one user do not fill its share with partial ones', () => {
  const { responses, open } = arrange();
  const opened = Array.from({ length: 20 }, () => open(1, 20));
  // Piece by piece, each in its turn.
  const pieces = opened.map(({ state }) => {
    const resume = { isFree: true };
    const step = () => {
      if (!resume.isFree || state.isDone) return;
      state.bytes += 1;
      resume.isFree = state.held.grow(state.bytes, () => void (resume.isFree = true));
      if (state.bytes < 20 || !resume.isFree) return;
      state.isDone = true;
      state.held.arrived(20);
    };
    return step;
  });
  const run = () => {
    for (let turn = 0; turn < 400; turn += 1) for (const step of pieces) step();
  };
  run();
  const done = () => opened.filter(({ state }) => state.isDone);
  // The others have begun, with little.
  expect(done().length).toBeGreaterThanOrEqual(3);
  expect(responses.bytes).toBeLessThanOrEqual(120);
  let rounds = 0;
  // All that have arrived are released together.
  for (let left = opened.length; left > 0; rounds += 1) {
    for (const response of done()) {
      if (response.state.bytes === 0) continue;
      response.state.bytes = 0;
      response.state.held.ended();
      left -= 1;
    }
    run();
  }
  expect(rounds).toBeLessThanOrEqual(7);
});

test('response buffers: a call may buffer another response after a failed one', () => {
  const { responses, open } = arrange();
  const { state, come } = open(1, 60);
  come();
  state.held.ended();
  expect(responses.bytes).toBe(0);
  state.bytes = 0;
  come();
  expect(responses.bytes).toBe(60);
  state.held.ended();
  expect(responses.bytes).toBe(0);
});

test('response buffers: every response that is not aborted is read, whatever else comes and is aborted', () => {
  const call = fc.record({ user: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 300 }), leaves: fc.boolean() });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), fc.array(fc.nat({ max: 11 }), { maxLength: 12 }), (calls, order) => {
      const { responses, open } = arrange();
      const opened = calls.map(({ user, size, leaves }) => ({ ...open(user, size), leaves }));
      for (const { come } of opened) come();
      // Some clients leave while their responses wait; the others have read theirs, one after the other, as soon as they have come.
      for (const index of order) if (opened[index]?.leaves === true) opened[index].state.held.ended();
      const left = new Set(opened.filter(({ leaves }, index) => !(leaves && order.includes(index))));
      while (left.size > 0) {
        const done = [...left].find(({ state }) => state.isDone);
        expect(done).toBeDefined();
        if (done === undefined) return;
        done.state.held.ended();
        left.delete(done);
      }
      expect(responses.bytes).toBe(0);
    }),
  );
});
