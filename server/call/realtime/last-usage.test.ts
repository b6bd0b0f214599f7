import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LastUsage } from './last-usage.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Builds a session that its client has left during a response; `done` reports its cost, `broken` cannot be charged. */
function leave({ messages = [], before = Promise.resolve() }: { messages?: string[]; before?: Promise<void> } = {}) {
  const done: string[] = [];
  const running = new Set(['resp_1']);
  const last = new LastUsage({
    upstream: { pause: () => done.push('pause'), resume: () => done.push('resume') },
    fromUpstream: {
      cancel: (ids) => done.push(`cancel ${ids.join()}`),
      async takeLast(bytes) {
        await Promise.resolve();
        const text = bytes.toString('utf8');
        if (text === 'broken') throw new Error('The database is gone');
        if (text === 'done') running.clear();
        done.push(text);
      },
    },
    turns: {
      leave: () => done.push('leave'),
      get runningIds() {
        return [...running];
      },
    },
    reason: 'client_disconnected',
    messages: messages.map((text) => Buffer.from(text)),
    before,
  });
  let how = 'waits';
  last.over.then(
    () => (how = 'over'),
    () => (how = 'failed'),
  );
  return { last, done, how: async () => (await vi.advanceTimersByTimeAsync(0), how) };
}

test('last usage: running responses are canceled, and the wait ends once their usage is reported', async () => {
  const { last, done, how } = leave({ messages: ['delta'] });
  expect(await how()).toBe('waits');
  last.take(Buffer.from('delta'));
  last.take(Buffer.from('done'));
  expect(await how()).toBe('over');
  expect(done.filter((what) => !/pause|resume/.test(what))).toEqual(['leave', 'cancel resp_1', 'delta', 'delta', 'done']);
  // Read no faster than it is charged.
  expect(done.filter((what) => /pause|done|resume/.test(what)).slice(-3)).toEqual(['pause', 'done', 'resume']);
});

test('last usage: a provider that sends nothing is waited for five seconds', async () => {
  const { last, done, how } = leave();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(await how()).toBe('waits');
  await vi.advanceTimersByTimeAsync(200);
  expect(await how()).toBe('over');
  last.take(Buffer.from('done'));
  expect(await how()).toBe('over');
  expect(done).not.toContain('done');
});

test('last usage: the earlier message is processed first', async () => {
  let finish = () => {};
  const { done, how } = leave({ messages: ['done'], before: new Promise((resolve) => (finish = resolve)) });
  expect(await how()).toBe('waits');
  expect(done).not.toContain('done');
  finish();
  expect(await how()).toBe('over');
  expect(done).toContain('done');
});

test('last usage: a closed connection to the provider ends the wait, but received messages are read', async () => {
  const { last, done, how } = leave();
  await how();
  last.take(Buffer.from('done'));
  last.noMore();
  expect(await how()).toBe('over');
  expect(done).toContain('done');
  const other = leave();
  await other.how();
  other.last.noMore();
  expect(await other.how()).toBe('over');
});

test('last usage: a failed charge rejects the promise, and the shutdown of the server ends the wait', async () => {
  const { how } = leave({ messages: ['broken'] });
  expect(await how()).toBe('failed');
  const other = leave();
  other.last.end();
  expect(await other.how()).toBe('over');
});
