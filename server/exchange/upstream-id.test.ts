import { expect, test } from 'vitest';
import { upstreamIdOf } from './upstream-id.ts';

test('upstream-id: the id that a bill names comes first, and what is no id counts as none', () => {
  expect(upstreamIdOf({ 'request-id': 'req_011CQ', 'x-generation-id': 'gen-1' })).toBe('gen-1');
  expect(upstreamIdOf({ 'request-id': 'req_011CQ' })).toBe('req_011CQ');
  expect(upstreamIdOf({})).toBeUndefined();
  for (const id of ['', 'a b c d', '<b>x</b>', 'x'.repeat(129), ['one', 'two']])
    expect(upstreamIdOf({ 'x-request-id': id })).toBeUndefined();
});
