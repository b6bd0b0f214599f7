import { expect, test } from 'vitest';
import { entryKindOf } from './entry-kinds.ts';

test.each([
  ['store_day', 'storage'],
  ['store_refund', 'refund'],
  ['topup', 'order'],
  ['of a newer server', 'other'],
])('a ledger entry of %s is told as %s', (name, kind) => {
  expect(entryKindOf(name)).toBe(kind);
});
