// Sums of log rows computed by the store, and their meaning.
import { LogType } from '#shared/logs.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { emptySums } from './rollup-shape.ts';

/** Calls and their refunds. */
export const countedRows: Filter<LogRecord> = { or: [{ type: LogType.consumption }, { refunded: { exists: true } }] };

/** Columns to sum; `failed` and `type` must be among the keys. */
export const summedRows = {
  quota: 'quota',
  refunded: 'refunded',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  first_byte_ms: 'other.frt',
  duration_ms: 'other.duration_ms',
} as const;

/** Times count successful calls only. */
export function rowSums(row: GroupRow): CallSums {
  return inMilliseconds(exactRowSums(row));
}

/** Rounds fractions of milliseconds. */
export function inMilliseconds(sums: CallSums): CallSums {
  return { ...sums, first_byte_ms: Math.round(sums.first_byte_ms), duration_ms: Math.round(sums.duration_ms) };
}

/** Sums of a part, unrounded until added up. A refund reduces the usage of its own hour. */
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
