import { t } from 'i18next';
import { beforeAll, expect, test } from 'vitest';
import { buildAttempt as attempt, buildLog as row } from '#tests/support/log-row.ts';
import { loadTexts, startTexts } from '#pwa/i18n/setup.ts';
import { attemptBar } from './attempt-bars.ts';
import {
  channelPath,
  endedAttempts,
  firstBytePace,
  paceOf,
  picturesOf,
  sizeOf,
  sessionSpanOf,
  soundOf,
  spokenOf,
  videoSizeOf,
} from './log-summary.ts';

beforeAll(async () => {
  await startTexts();
  await loadTexts('logs', 'receipt');
});

test('log row: the path has failed tries in it', () => {
  const log = row({ other: { attempts: [attempt(12, 429, 'rate_limited'), attempt(7, 200)] } });
  expect(channelPath(log).map((step) => [step.channel, step.hasFailed])).toEqual([
    [12, true],
    [7, false],
  ]);
});

test('log row: a socket that opened has not failed, and is no step of its own', () => {
  const log = row({ other: { attempts: [attempt(5, 503, 'overloaded'), attempt(6, 101), attempt(6, 200)] } });
  expect(channelPath(log).map((step) => [step.channel, step.hasFailed])).toEqual([
    [5, true],
    [6, false],
  ]);
  expect(endedAttempts(log).map(({ ending }) => ending)).toEqual(['failed', 'well', 'well']);
});

test('log row: what a call was for, where tokens do not say it', () => {
  const words = {
    pictures: (count: number) => `${count} pictures`,
    duration: (ms: number) => `${ms} ms`,
    characters: (count: number) => `${count} characters`,
    seconds: (count: number) => `${count} s`,
    requests: (count: number) => `${count} requests`,
    examples: (count: number) => `${count} examples`,
    compaction: () => 'summary',
  };
  const reported = (other: object) => sizeOf(row({ other: other as never }), words);
  expect(reported({ units: { kind: 'image', count: 2, size: '1024x1024', quality: 'hd' } })).toBe('2 pictures · 1024×1024 · hd');
  expect(reported({ units: { kind: 'second', count: 8, size: '1280x720' } })).toBe('8 s · 1280×720');
  expect(reported({ units: { kind: 'minute', count: 150 } })).toBe('9000 ms');
  expect(reported({ units: { kind: 'character', count: 47 } })).toBe('47 characters');
  expect(reported({ batch: { id: 'batch_1', requests: 3 } })).toBe('3 requests');
  expect(reported({ tuning: { id: 'ftjob-1', examples: 12, epochs: 3, tokens: 90, price: 25 } })).toBe('12 examples');
  expect(reported({ compaction: 'asked' })).toBe('summary');
  expect(reported({})).toBeUndefined();
});

test('log row: rows without attempts still know the path', () => {
  expect(channelPath(row({ other: { admin_info: { use_channel: ['12', '7'] } } }))).toEqual([
    { channel: 12, name: '', hasFailed: true },
    { channel: 7, name: 'main', hasFailed: false },
  ]);
  expect(channelPath(row({ channel: 0 }))).toEqual([]);
});

test.each([
  ['truncated', ['failed', 'truncated']],
  ['invalid_usage', ['failed', 'invalid_usage']],
  ['client_closed', ['failed', 'client_closed']],
  [undefined, ['failed', 'well']],
])('log row: the last try ended as the call did (%s), those before it failed', (ending, endings) => {
  const attempts = [attempt(12, 429, 'rate_limited'), attempt(7, 200, ending)];
  const log = row({ other: { attempts, ...(ending === undefined ? {} : { ending }) } });
  expect(endedAttempts(log).map((one) => one.ending)).toEqual(endings);
});

test('log row: tries that were not sent are no failures of their channels', () => {
  const unsent = { ...attempt(6, 0, 'untranslatable'), unsent: true };
  const served = row({ other: { attempts: [unsent, attempt(7, 200)] } });
  expect(endedAttempts(served).map((one) => one.ending)).toEqual(['unsendable', 'well']);
  expect(channelPath(served).map((step) => step.isUnsent)).toEqual([true, undefined]);
  const failed = row({
    prompt_tokens: 0,
    completion_tokens: 0,
    other: { ending: 'upstream_error', attempts: [attempt(7, 500, 'x'), unsent] },
  });
  expect(endedAttempts(failed).map((one) => one.ending)).toEqual(['failed', 'unsendable']);
  const note = (log: typeof served) => endedAttempts(log).map((one, index) => attemptBar(one, index, { log, t }).note);
  expect(note(served)).toEqual(['Not sent', '200']);
  const alone = row({
    prompt_tokens: 0,
    completion_tokens: 0,
    other: { ending: 'unsendable', attempts: [attempt(6, 0, 'untranslatable')] },
  });
  expect(note(alone), 'rows of an earlier server').toEqual(['Not sent']);
});

test('log row: an error of the only try is told even where the row itself names no ending', () => {
  const last = (error: string) => endedAttempts(row({ other: { attempts: [attempt(7, 200, error)] } })).map((one) => one.ending);
  expect(last('stalled')).toEqual(['stalled']);
  expect(last('something newer')).toEqual(['other']);
});

test('durations: the limits of slow', () => {
  expect([100.9, 101, 299.9, 300].map(paceOf)).toEqual(['good', 'slow', 'slow', 'very_slow']);
  expect([2.9, 3, 9.9, 10].map(firstBytePace)).toEqual(['good', 'slow', 'slow', 'very_slow']);
});

test('log row: pictures are told with their size and quality', () => {
  const reported = (units: object) => picturesOf(row({ other: { units } as never }), String);
  expect(reported({ kind: 'image', count: 2, factor: 3, size: '1024x1792', quality: 'hd' })).toBe('2 · 1024×1792 · hd');
  expect(reported({ kind: 'image', count: 1 })).toBe('1');
  expect(reported({ kind: 'search', count: 1 })).toBeUndefined();
});

test('log row: the length of a sound is told in whole seconds', () => {
  const reported = (units: object) => soundOf(row({ other: { units } as never }));
  expect(reported({ kind: 'minute', count: 167, factor: 0.001 })).toBe(10_000);
  expect(reported({ kind: 'image', count: 1 })).toBeUndefined();
});

test('log row: a part of a realtime session has its time in the session', () => {
  const part = row({ other: { units: { kind: 'minute', count: 334, factor: 0.001, from: 120 } } as never });
  expect(sessionSpanOf(part)).toEqual({ from: 120_000, until: 140_000 });
  expect(soundOf(part)).toBeUndefined();
  expect(sessionSpanOf(row({ other: { units: { kind: 'minute', count: 334 } } as never }))).toBeUndefined();
});

test('log row: characters that were spoken are told', () => {
  const reported = (units: object) => spokenOf(row({ other: { units } as never }));
  expect(reported({ kind: 'character', count: 1200, factor: 0.001 })).toBe(1200);
  expect(reported({ kind: 'minute', count: 1 })).toBeUndefined();
});

test('log row: the size of a video is told', () => {
  const reported = (units: object) => videoSizeOf(row({ other: { units } as never }));
  expect(reported({ kind: 'second', count: 8, size: '1792x1024' })).toBe('1792×1024');
  expect(reported({ kind: 'image', count: 1, size: '1024x1024' })).toBeUndefined();
});
