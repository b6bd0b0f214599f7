// Receipts of batches, trainings and stores' days add up as they are shown, in dollars and in quota.
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '#shared/log-event.ts';
import { receiptSums } from '#pwa/ui/billing/receipt-sums.ts';
import { isSettled, receiptOfEvent } from './event-receipt.ts';

const words = {
  part: (name: string) => name,
  kept: (bytes: number, seconds: number) => `${bytes} × ${seconds}`,
  perDay: String,
  group: () => 'vip',
};

const batch = {
  code: 'batch_settled',
  batch: 'batch_1',
  model: 'm',
  requests: 3,
  answered: 3,
  prompt_tokens: 1001,
  completion_tokens: 333,
  cost: 271,
  amount: 9,
  order: 7,
  group_ratio: 0.8,
  quota_per_unit: 500_000,
  lines: [
    { part: 'prompt', quantity: 1001, price: 0.075, per: 'million', source: 'upstream' },
    { part: 'web_search', quantity: 2, price: 0.0003, per: 'each' },
  ],
} satisfies LogEvent;
const day = {
  code: 'store_day',
  store: 'vs_1',
  name: '',
  bytes: 2 ** 30,
  from: 0,
  until: 43_200,
  price: 0.1,
  group_ratio: 2,
  quota_per_unit: 500_000,
} as const;

function differenceOf(event: LogEvent, quotaPerUnit: number, stepsPerUnit: number): number {
  if (!isSettled(event)) throw new Error('It is no settlement');
  const receipt = receiptOfEvent(event, { ...words, quotaPerUnit });
  if (receipt === null) throw new Error('It has no receipt');
  return receiptSums({ ...receipt, quotaPerUnit, stepsPerUnit }).difference;
}

describe.each([
  ['dollars', 2],
  ['quota', 100],
])('in %s', (_unit, steps) => {
  it('adds up, also when a unit was worth something else', () => {
    for (const quotaPerUnit of [500_000, 250_000]) {
      expect(differenceOf(batch, quotaPerUnit, steps)).toBe(0);
      expect(differenceOf({ ...day, amount: -50_000 }, quotaPerUnit, steps)).toBe(0);
    }
  });

  it('says so when it does not', () => {
    expect(differenceOf({ ...batch, cost: 300 }, 500_000, steps)).not.toBe(0);
    expect(differenceOf({ ...day, amount: -40_000 }, 500_000, steps)).not.toBe(0);
  });
});

it('rows of earlier versions have none', () => {
  const { lines: _lines, ...earlier } = batch;
  expect(receiptOfEvent(earlier, { ...words, quotaPerUnit: 500_000 })).toBeNull();
  expect(isSettled({ code: 'user_deleted' })).toBe(false);
});
