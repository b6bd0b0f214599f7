// Rows of the log summed by the store, and what a sum of them is.
import { LogType } from '#shared/logs.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { emptySums } from './rollup-shape.ts';

/** Calls, and what was given back of them. */
export const countedRows: Filter<LogRecord> = { or: [{ type: LogType.consumption }, { refunded: { exists: true } }] };

/** What is summed; `failed` and `type` have to be among the keys. */
export const summedRows = {
  quota: 'quota',
  refunded: 'refunded',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  first_byte_ms: 'other.frt',
  duration_ms: 'other.duration_ms',
} as const;

/** Times are those of the calls that ended well. */
export function rowSums(row: GroupRow): CallSums {
  return inMilliseconds(exactRowSums(row));
}

/** Rows have fractions of milliseconds; sums have none. */
export function inMilliseconds(sums: CallSums): CallSums {
  return { ...sums, first_byte_ms: Math.round(sums.first_byte_ms), duration_ms: Math.round(sums.duration_ms) };
}

/** Of a part of what is summed: rounded once it is whole. A refund lowers what was used in its own hour. */
export function exactRowSums(row: GroupRow): CallSums {
  if (row['type'] !== LogType.consumption) return { ...emptySums(), quota: 0 - Number(row['refunded']) };
  const hasFailed = row['failed'] === 1;
  return {
    calls: row.count,
    errors: hasFailed ? row.count : 0,
    quota: Number(row['quota']),
    prompt_tokens: Number(row['prompt_tokens']),
    completion_tokens: Number(row['completion_tokens']),
    first_byte_ms: hasFailed ? 0 : Number(row['first_byte_ms']),
    duration_ms: hasFailed ? 0 : Number(row['duration_ms']),
  };
}
