// Receipts of what was paid ahead: their lines add up to what was charged.
import type { LogEvent } from '#shared/log-event.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { receiptSums } from '#pwa/ui/billing/receipt-sums.ts';
import { isSettled, receiptOfEvent } from '#pwa/features/logs/event-receipt.ts';

const quotaPerUnit = 500_000;
const words = { part: (name: string) => name, kept: () => '', perDay: () => '', group: () => 'group', quotaPerUnit };

/** What of those rows does not add up, in the receipts as the console shows them. */
export function wrongReceipts(rows: readonly LogRecord[]): object[] {
  return rows.flatMap(({ other }): object[] => {
    const event = other?.['event'] as LogEvent | undefined;
    if (!isSettled(event)) return [];
    const receipt = receiptOfEvent(event, words);
    if (receipt === null) return [event];
    const { difference } = receiptSums({ ...receipt, quotaPerUnit, stepsPerUnit: 100 });
    return difference === 0 ? [] : [{ event, difference }];
  });
}
