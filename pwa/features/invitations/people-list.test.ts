import { expect, test } from 'vitest';
import { peopleOf } from './people-list.ts';

const dollars = (amount: number) => Math.round(amount * 500_000);

test('people-list: amounts become quota, and lines say what is wrong with them', () => {
  const text = 'name,mail,group,balance\nanna,anna@example.org,vip,2.5\nbert,,,lots\ncarl,,,1,2\ndora\n';
  expect(peopleOf(text, dollars)).toEqual([
    {
      number: 2,
      source: 'anna,anna@example.org,vip,2.5',
      line: { username: 'anna', email: 'anna@example.org', group: 'vip', quota: 1_250_000 },
      problem: undefined,
    },
    { number: 3, source: 'bert,,,lots', line: { username: 'bert', email: '', group: '', quota: 0 }, problem: 'balance_invalid' },
    { number: 4, source: 'carl,,,1,2', line: { username: 'carl', email: '', group: '', quota: 500_000 }, problem: 'more_fields' },
    { number: 5, source: 'dora', line: { username: 'dora', email: '', group: '', quota: 0 }, problem: undefined },
  ]);
  const many = peopleOf(Array.from({ length: 1002 }, (_, index) => `n${index}`).join('\n'), dollars);
  expect(many.filter(({ problem }) => problem === 'too_many')).toHaveLength(2);
  // Units are whole.
  expect(peopleOf('emil,,,0.5', (amount) => amount)[0]?.problem).toBe('balance_invalid');
});
