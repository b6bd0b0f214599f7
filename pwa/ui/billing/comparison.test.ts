import { expect, test } from 'vitest';
import { compare } from './comparison.ts';

test.each([
  ['nothing before', 100, 0, 1, undefined],
  ['less than ten calls before', 6438, 9, 10, undefined],
  ['less than a cent before', 1_849_166, 5, 5000, undefined],
  ['the same', 1000, 1000, 10, { kind: 'same' }],
  ['the same once it is rounded', 10_004, 10_000, 10, { kind: 'same' }],
  ['a tenth of a percent below ten', 1095, 1000, 10, { kind: 'more', share: '9.5%' }],
  ['no decimals from ten on', 1472, 1000, 10, { kind: 'more', share: '47%' }],
  ['less', 528, 1000, 10, { kind: 'less', share: '47%' }],
  ['nothing now', 0, 1000, 10, { kind: 'less', share: '100%' }],
  ['nearly ten', 1099.6, 1000, 10, { kind: 'more', share: '10%' }],
  ['many times', 21_490, 1000, 10, { kind: 'times', factor: '21' }],
  ['very many times', 3_698_330, 10, 10, { kind: 'times', factor: '369,833' }],
] as const)('comparison: %s', (_name, now, before, least, expected) => {
  expect(compare(now, before, least)).toEqual(expected);
});
