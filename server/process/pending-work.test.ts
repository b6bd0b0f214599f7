import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createPendingWork } from './pending-work.ts';

/** Whether it is done once everything that is due has happened. */
async function isDone(done: Promise<void>): Promise<boolean> {
  let result = false;
  void done.then(() => (result = true));
  await turn();
  return result;
}

describe('pending work', () => {
  it('is done when there is none', async () => {
    expect(await isDone(createPendingWork().done())).toBe(true);
  });

  it('is waited for by everybody who asks, until the last of it has ended', async () => {
    const pending = createPendingWork();
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    pending.add(one.promise);
    pending.add(other.promise);
    const waiting = [pending.done(), pending.done()];
    one.resolve();
    expect(await Promise.all(waiting.map(isDone))).toEqual([false, false]);
    other.resolve();
    expect(await Promise.all(waiting.map(isDone))).toEqual([true, true]);
    expect(await isDone(pending.done())).toBe(true);
  });

  it('is waited for, too, when it was added while others waited', async () => {
    const pending = createPendingWork();
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    pending.add(first.promise.then(() => pending.add(second.promise)));
    const done = pending.done();
    first.resolve();
    expect(await isDone(done)).toBe(false);
    second.resolve();
    expect(await isDone(done)).toBe(true);
  });

  it('is waited for, too, when it is added the moment that all was done', async () => {
    const pending = createPendingWork();
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    pending.add(first.promise);
    const done = pending.done();
    void first.promise.then(() => pending.add(second.promise)); // after the count reached 0, before the waiting one is notified
    first.resolve();
    expect(await isDone(done)).toBe(false);
    second.resolve();
    expect(await isDone(done)).toBe(true);
  });

  it('has ended when it failed, and fails nobody', async () => {
    const pending = createPendingWork();
    const work = Promise.withResolvers<void>();
    pending.add(work.promise);
    const done = pending.done();
    work.reject(new Error('as the test wants'));
    expect(await isDone(done)).toBe(true);
  });
});
