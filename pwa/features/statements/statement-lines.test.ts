import { expect, test } from 'vitest';
import type { Statement } from '#shared/statement.ts';
import { isExact, statementAmount, statementFile } from './statement-lines.ts';

const statement: Statement = {
  user_id: 7,
  username: 'mei',
  display_name: 'Mei',
  from: 1_770_000_000,
  to: 1_772_000_000,
  quota_per_unit: 500_000,
  opening: 1_000_000,
  entries: [{ id: 1, created_at: 1_770_100_000, kind: 'order', amount: 500_000 }],
  more_entries: { count: 2, amount: -100 },
  calls: [{ model_name: 'gpt-4o', calls: 3, amount: 250_001 }],
  more_calls: { models: 1, calls: 1, amount: 9 },
  closing: 1_249_890,
};
const texts = {
  opening: 'Opening',
  closing: 'Closing',
  calls: 'Calls',
  others: 'Others',
  imported: (usd: string) => `Imported ${usd}`,
  kind: (kind: string) => kind,
};

test('amounts have six decimals, and six are enough for the usual unit', () => {
  expect(statementAmount(250_001, 500_000)).toBe('0.500002');
  expect(statementAmount(-617_283_945_000, 500_000)).toBe('−1,234,567.890000');
  expect(isExact(statement)).toBe(true);
  expect(isExact({ quota_per_unit: 7 })).toBe(false);
});

test('the file is of numbers that a spreadsheet adds up to the closing balance', () => {
  const rows = statementFile(statement, texts)
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','));
  expect(rows.map((row) => row[1])).toEqual(['Opening', 'order', 'Others', 'Calls', 'Calls', 'Closing']);
  const quotas = rows.map((row) => Number(row[5]));
  expect(quotas.slice(0, -1).reduce((sum, quota) => sum + quota, 0)).toBe(quotas.at(-1));
  const dollars = rows.map((row) => Number(row[4]));
  expect(dollars.every(Number.isFinite)).toBe(true);
  expect(dollars.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(dollars.at(-1) ?? 0, 6);
});

test('the file names imported calls with their cost elsewhere, and they change no sum', () => {
  const rows = statementFile({ ...statement, imported_calls: { calls: 30, amount: 250_000 } }, texts)
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','));
  expect(rows.at(-2)?.slice(1)).toEqual(['Imported 0.500000', '', '30', '0', '0']);
  expect(rows.at(-1)?.at(-1)).toBe(String(statement.closing));
});
