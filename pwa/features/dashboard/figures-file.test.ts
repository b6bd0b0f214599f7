import { expect, test } from 'vitest';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { createFormat } from '#pwa/ui/billing/format.ts';
import { breakdownFile, fileName, stepsFile } from './figures-file.ts';

const inUsd = createFormat({ language: 'zh', quotaPerUnit: 500_000, inCurrency: true, timeZone: 'Asia/Shanghai' });
const inQuota = createFormat({ language: 'zh', quotaPerUnit: 500_000, inCurrency: false, timeZone: 'Asia/Shanghai' });
const options = { format: inUsd, isCompared: true, othersText: (count: number) => `${count} others` };
const sums = (quota: number, calls: number, errors = 0): UsageSums => ({
  calls,
  errors,
  quota,
  prompt_tokens: 20 * calls,
  completion_tokens: 7 * calls,
  first_byte_ms: 0,
  duration_ms: 0,
});
const day = 86_400;
/** Midnight of 15 November 2026 in Shanghai. */
const start = Date.UTC(2026, 10, 14, 16) / 1000;
const figures: UsageFigures = {
  start,
  end: start + 2 * day,
  at: start + day + 7200,
  step: 'day',
  by: 'model',
  steps: [start, start + day],
  whole: [sums(500_000, 10, 1), sums(250_000, 5)],
  latency: {
    whole: { duration: null, first_byte: null },
    steps: [
      { duration: { p50: 800, p95: 4200 }, first_byte: { p50: 300, p95: 900 } },
      { duration: null, first_byte: null },
    ],
  },
  previous: [sums(125_000, 2), sums(0, 0)],
  previous_so_far: sums(125_000, 2),
  totals: [
    { name: '=cmd|1', label: '=cmd|1', sums: sums(600_000, 12, 1) },
    { name: 'b', label: 'b', sums: sums(100_000, 2) },
  ],
  others: { count: 3, sums: sums(50_000, 1) },
  series: [{ name: '=cmd|1', sums: [sums(400_000, 8), sums(200_000, 4)] }],
  complete_from: null,
};

/** Rows by heading. No cell of these files has a comma in it. */
function read(file: string): Record<string, string>[] {
  expect(file.startsWith('\uFEFF')).toBe(true);
  const [head = [], ...rows] = file
    .slice(1)
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ''])));
}

test('figures-file: every step has all that is measured, in local and in exact time', () => {
  const rows = read(stepsFile(figures, options));
  expect(rows[0]).toEqual({
    time: '2026-11-15 00:00:00',
    start: '2026-11-14T16:00:00.000Z',
    end: '2026-11-15T16:00:00.000Z',
    is_over: 'true',
    calls: '10',
    failed: '1',
    prompt_tokens: '200',
    completion_tokens: '70',
    quota: '500000',
    usd: '1',
    duration_p50_ms: '800',
    duration_p95_ms: '4200',
    first_byte_p50_ms: '300',
    before_calls: '2',
    before_failed: '0',
    before_prompt_tokens: '40',
    before_completion_tokens: '14',
    before_quota: '125000',
    before_usd: '0.25',
    'quota: =cmd|1': '400000',
    'quota: 4 others': '100000',
    as_of: '2026-11-15T18:00:00.000Z',
  });
  expect(rows[1]).toMatchObject({ is_over: 'false', duration_p50_ms: '', quota: '250000', 'quota: 4 others': '50000' });
});

test('figures-file: without comparison there is no time before, and quota units stand alone', () => {
  const [row = {}] = read(stepsFile(figures, { ...options, format: inQuota, isCompared: false }));
  expect(Object.keys(row).filter((name) => /^before_|usd/.test(name))).toEqual([]);
  expect(row).toMatchObject({ quota: '500000' });
});

test('figures-file: the breakdown adds up to the whole, and a name is no formula', () => {
  const rows = read(breakdownFile(figures, options));
  expect(rows.map((row) => row['model'])).toEqual(["'=cmd|1", 'b', '3 others']);
  expect(rows.reduce((sum, row) => sum + Number(row['quota']), 0)).toBe(750_000);
  expect(rows[0]).toMatchObject({ calls: '12', failed: '1', usd: '1.2', as_of: '2026-11-15T18:00:00.000Z' });
});

test('figures-file: channels and users have their ids', () => {
  const totals = [{ name: '7', label: 'mira', sums: sums(1, 1) }];
  const [row] = read(breakdownFile({ ...figures, by: 'user', totals, others: { count: 0, sums: sums(0, 0) } }, options));
  expect(row).toMatchObject({ user_id: '7', user: 'mira' });
});

test('figures-file: a file is called after its figures, up to the day they were made', () => {
  expect(fileName(figures, { user: undefined }, { what: 'day', format: inUsd })).toBe('usage-day-2026-11-15-2026-11-16.csv');
  expect(fileName({ ...figures, end: start + 7 * day }, { user: 'mira' }, { what: 'model', format: inUsd })).toBe(
    'usage-mira-model-2026-11-15-2026-11-16.csv',
  );
  expect(fileName({ ...figures, end: start + day }, { user: undefined }, { what: 'hour', format: inUsd })).toBe(
    'usage-hour-2026-11-15.csv',
  );
});
