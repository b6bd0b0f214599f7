// Counts statements consistently while calls run and old rows of the log are deleted: a count during which rows were deleted is repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { longestStatement } from '#shared/statement.ts';
import type { Database } from '#server/db/database.ts';
import { nextPeriod, periodOf } from '#server/money/closed-periods.ts';
import { type ClosedBounds, closedBounds } from '#server/money/log-closing.ts';

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

/** `work` is given what is known of deleted rows. @throws {AppError} `log_deletion_running` */
export async function onSteadyBooks<Result>(db: Database, work: (bounds: ClosedBounds) => Promise<Result>): Promise<Result> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (attempt > 0) await sleep(waitMs);
    const before = await db.collection('log_closings').get('head');
    if (before?.batch !== undefined) continue;
    const counted = await work(await closedBounds(db, before));
    const after = await db.collection('log_closings').get('head');
    if (after?.last === before?.last && after?.batch === undefined) return counted;
  }
  throw new AppError('log_deletion_running');
}

export interface BookSpan extends ClosedBounds {
  /** Unix seconds, half-open. */
  from: number;
  to: number;
}

/** Part of a time whose charges are known exactly, empty if there is none: of deleted rows they are known by period (`server/money/closed-periods.ts`). */
export function spanWithin({ from, to }: { from: number; to: number }, bounds: ClosedBounds): BookSpan {
  const { rows, sums } = bounds;
  const begin = Math.max(from, sums);
  const known = begin >= rows ? begin : Math.min(rows, nextPeriod(begin));
  const end = to >= rows ? to : periodOf(to);
  return { from: known, to: Math.max(known, end), ...bounds };
}
