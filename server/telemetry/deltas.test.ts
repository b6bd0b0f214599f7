import { expect, test } from 'vitest';
import { createDeltas } from '#server/telemetry/deltas.ts';

test('deltas: a series that was removed and made again is never negative', () => {
  const deltas = createDeltas();
  const charged = (value: number) => {
    const point = deltas.of('charged', { labels: {}, value });
    deltas.exported();
    return point.value;
  };
  expect([5, 7, 7, 3, 4].map(charged)).toEqual([5, 2, 0, 3, 1]);
  const durations = (counts: number[], sum: number) => {
    const point = deltas.of('requestDuration', { labels: {}, counts, sum });
    deltas.exported();
    return point;
  };
  expect(durations([2, 1], 9)).toMatchObject({ counts: [2, 1], sum: 9 });
  expect(durations([3, 1], 10)).toMatchObject({ counts: [1, 0], sum: 1 });
  expect(durations([0, 2], 8)).toMatchObject({ counts: [0, 2], sum: 8 });
});

test('deltas: series of deleted channels are forgotten', () => {
  const deltas = createDeltas();
  for (let channel = 0; channel < 100; channel += 1) {
    deltas.of('charged', { labels: { 'tidegate.channel.id': String(channel) }, value: 1 });
    expect(deltas.exported()).toBe(1);
  }
});
