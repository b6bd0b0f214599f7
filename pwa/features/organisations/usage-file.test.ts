import { expect, it } from 'vitest';
import { usageFile } from './usage-file.ts';

const parts = [
  { id: '7', name: 'Tom, "the" = tester', calls: 3, tokens: 1200, quota: 617_500 },
  { id: '0', name: '', calls: 1, tokens: 10, quota: 1 },
];
const options = { by: 'member', nameOf: ({ name }: { name: string }) => name || 'Service accounts', quotaPerUnit: 500_000 };

it('usage as a table has names that a spreadsheet does not run, and exact amounts', () => {
  const file = usageFile([{ id: '9', name: '=1+1', calls: 0, tokens: 0, quota: 0 }, ...parts], { ...options, format: 'csv' });
  expect(file.split('\r\n')).toEqual([
    '\uFEFFmember_id,member,calls,tokens,usd,quota',
    "9,'=1+1,0,0,0,0",
    '7,"Tom, ""the"" = tester",3,1200,1.235,617500',
    '0,Service accounts,1,10,0.000002,1',
    '',
  ]);
});

it('usage as JSON has the same fields', () => {
  expect(JSON.parse(usageFile(parts, { ...options, format: 'json' }))).toEqual([
    { member_id: '7', member: 'Tom, "the" = tester', calls: 3, tokens: 1200, usd: 1.235, quota: 617_500 },
    { member_id: '0', member: 'Service accounts', calls: 1, tokens: 10, usd: 0.000002, quota: 1 },
  ]);
});
