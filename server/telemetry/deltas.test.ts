import { expect, test } from 'vitest';
import { createDeltas } from '#server/telemetry/deltas.ts';

test('deltas: a series that was removed and made again is never negative', () => {
  const deltas = createDeltas();
  const charged = (value: number) => deltas.of('charged', { labels: {}, value }).value;
  expect([5, 7, 7, 3, 4].map(charged)).toEqual([5, 2, 0, 3, 1]);
  const durations = (counts: number[], sum: number) => deltas.of('requestDuration', { labels: {}, counts, sum });
  expect(durations([2, 1], 9)).toMatchObject({ counts: [2, 1], sum: 9 });
  expect(durations([3, 1], 10)).toMatchObject({ counts: [1, 0], sum: 1 });
  expect(durations([0, 2], 8)).toMatchObject({ counts: [0, 2], sum: 8 });
});
