import { expect, test } from 'vitest';
import { buildLog } from '#tests/support/log-row.ts';
import { whySource } from './log-labels.tsx';

const counted = { prompt_source: 'counted', completion_source: 'counted' } as const;

test('why: a call that writes nothing has no output that was counted', () => {
  expect(whySource(buildLog({ completion_tokens: 0, other: counted }))).toEqual({ name: 'input_counted', source: 'counted' });
  expect(whySource(buildLog({ completion_tokens: 5, other: counted }))).toEqual({ name: 'both_counted', source: 'counted' });
});

test('why: units are what the upstream told, whatever was counted beside them', () => {
  expect(whySource(buildLog({ completion_tokens: 0, other: { ...counted, units: { kind: 'search', count: 3 } } }))).toBeUndefined();
});

test.each([
  { count: 0, name: 'pictures_unfinished' },
  { count: 2, name: 'pictures_seen' },
])('why: of $count pictures nobody estimates a length', ({ count, name }) => {
  const other = { prompt_source: 'counted', completion_source: 'estimated', model_price: -1, units: { kind: 'image', count } } as const;
  expect(whySource(buildLog({ completion_tokens: 200, other }))).toEqual({ name, source: 'estimated' });
});
