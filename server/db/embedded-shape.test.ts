import { expect, it } from 'vitest';
import { shapedStatement } from '#server/db/embedded-shape.ts';

it('a statement whose text or values are computed from its numbers is rejected', () => {
  const plain = shapedStatement(2, ([one = 0, other = 0]) => ({ sql: 'x', parameters: [other, 'a', BigInt(one), String(one), 5] }));
  expect(plain.slots).toEqual([
    { number: 1, as: 'number' },
    { fixed: 'a' },
    { number: 0, as: 'bigint' },
    { number: 0, as: 'string' },
    { fixed: 5 },
  ]);
  for (const write of [
    ([one = 0]: readonly number[]) => ({ sql: 'x', parameters: [-one] }),
    ([one = 0]: readonly number[]) => ({ sql: 'x', parameters: [one + 1] }),
    ([one = 0, other = 0]: readonly number[]) => ({ sql: 'x', parameters: [one, other + 1] }),
    ([one = 0]: readonly number[]) => ({ sql: `x ${one}`, parameters: [] }),
  ])
    expect(() => shapedStatement(2, write)).toThrow(TypeError);
});
