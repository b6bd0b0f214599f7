// Counts statements consistently while calls run and old rows of the log are deleted: a count during which rows were deleted is repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { longestStatement } from '#shared/statement.ts';
import type { Database } from '#server/db/database.ts';
import type { LogClosingRecord } from '#server/db/records/log-closing.ts';

const tries = 20;
const waitMs = 50;

export interface RequestedSpan {
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
}

/** @param now unix seconds @throws {AppError} `invalid_field` */
export function checkedSpan({ start_timestamp: from, end_timestamp: to }: RequestedSpan, now: number): { from: number; to: number } {
  if (from === undefined) throw invalidField('start_timestamp', fieldRules.required);
  // With what happens in this second.
  const end = Math.min(to ?? now + 1, now + 1);
  if (end <= from) throw invalidField('start_timestamp', fieldRules.invalid);
  return { from: Math.max(from, end - longestStatement), to: end };
}

/** `work` is given the moment before which rows of the log may be gone. @throws {AppError} `log_deletion_running` */
export async function onSteadyBooks<Result>(db: Database, work: (first: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (attempt > 0) await sleep(waitMs);
    const before = await db.collection('log_closings').get('head');
    if (before?.batch !== undefined) continue;
    const counted = await work(await firstListed(db, before));
    const after = await db.collection('log_closings').get('head');
    if (after?.last === before?.last && after?.batch === undefined) return counted;
  }
  throw new AppError('log_deletion_running');
}

/** Rows before this moment may be gone: what they took is known as one sum, and not when. */
async function firstListed(db: Database, head: LogClosingRecord | null): Promise<number> {
  if (head === null) return 0;
  // An earlier version stored only the time until which the dashboard's sums are complete.
  return head.removed_before ?? (await db.collection('log_folds').get('head'))?.deleted_until ?? 0;
}
