import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { framings } from '#server/framing/registry.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import { UpstreamReader } from './upstream-reader.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A reader, and what it has said and done, in order. */
function arrange(throwAt?: string) {
  const seen: string[] = [];
  const note = (word: string) => {
    seen.push(word);
    if (throwAt !== undefined && word.startsWith(throwAt)) throw new Error('A fault that a test has made');
  };
  const source = {
    read: () => note('read'),
    pause: () => note('pause'),
    resume: () => note('resume'),
    abort: () => note('abort'),
  };
  const receiver = {
    events: (events: Buffer) => note(`events ${events.toString()}`),
    ended: (rest: Buffer) => note(`ended ${rest.toString()}`),
    broken: (reason: string) => note(`broken ${reason}`),
    fault: () => note('fault'),
  };
  const reader = new UpstreamReader(source, receiver, { framing: framings.sse, idleMs: 1_000 });
  return { reader, seen, send: (text: string) => reader.data(Buffer.from(text), true) };
}

test('upstream reader: passes on complete events, and the rest at the end', () => {
  const { reader, seen, send } = arrange();
  send('data: a\n');
  send('\ndata: b\n\nda');
  send('ta: c');
  reader.end();
  reader.completeEvent();
  expect(seen).toEqual(['events data: a\n\ndata: b\n\n', 'ended data: c', 'events data: c\n\n']);
});

test('upstream reader: a stream that replaces the body is read to its end, and the body is not read', () => {
  const { reader, seen, send } = arrange();
  send('{"whole":true}');
  reader.replaceBy(Buffer.from('data: a\n\n'));
  expect(seen).toEqual(['events data: a\n\n', 'ended ']);
});

test.each([
  ['network', 'truncated'],
  ['timeout', 'truncated'],
  ['unreadable', 'invalid_response'],
  ['too_large', 'invalid_response'],
] as const)('upstream reader: a connection that fails (%s) ends as %s', (reason, ending) => {
  const { reader, seen } = arrange();
  reader.fail(new SendFailure(reason, 'why'));
  expect(seen).toEqual([`broken ${ending}`]);
});

test('upstream reader: an event above 16 MiB is an invalid response', () => {
  const { seen, send } = arrange();
  send('a'.repeat(16 * 1024 * 1024 + 1));
  expect(seen).toEqual(['broken invalid_response']);
});

test('upstream reader: calls no callback after it was stopped or aborted', () => {
  for (const end of ['stop', 'abort'] as const) {
    const { reader, seen, send } = arrange();
    reader[end]();
    send('data: a\n\n');
    reader.fail(new SendFailure('network', 'why'));
    reader.end();
    expect(seen).toEqual(end === 'abort' ? ['abort'] : []);
  }
});

test('upstream reader: closes a connection that the upstream leaves open', () => {
  const open = arrange();
  open.reader.stop();
  open.reader.hangUpSoon();
  expect(open.seen).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(open.seen).toEqual(['abort']);
  const ended = arrange();
  ended.reader.stop();
  ended.reader.end();
  ended.reader.hangUpSoon();
  vi.advanceTimersByTime(10_000);
  expect(ended.seen).toEqual([]);
});

test('upstream reader: silence is the time since the last byte, unless it is excused', () => {
  const { reader, send } = arrange();
  const begin = performance.now();
  expect(reader.isSilent(begin + 999)).toBe(false);
  expect(reader.isSilent(begin + 1_000)).toBe(true);
  vi.advanceTimersByTime(600);
  send('x');
  expect(reader.isSilent(begin + 1_599)).toBe(false);
  reader.excuseSilence(begin + 1_500);
  expect(reader.isSilent(begin + 2_499)).toBe(false);
});

test.each(['events', 'ended', 'broken'])('upstream reader: an exception thrown in %s is reported as a fault', (name) => {
  const { reader, seen, send } = arrange(name);
  if (name === 'events') send('data: a\n\n');
  else if (name === 'ended') reader.end();
  else reader.fail(new SendFailure('network', 'why'));
  expect(seen.at(-1)).toBe('fault');
});
