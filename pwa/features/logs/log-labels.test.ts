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
