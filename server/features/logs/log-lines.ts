// A row of the log as a line of a file.
import { balanceChange } from '#shared/balance-change.ts';
import { csvMark, csvRow } from '#shared/csv.ts';
import { endingOf } from '#shared/log-ending.ts';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';

const columns: readonly { name: string; isForAdmins?: true; value: (log: Log) => string | number }[] = [
  { name: 'id', value: (log) => log.id },
  { name: 'time', value: (log) => new Date(log.created_at * 1000).toISOString() },
  { name: 'type', value: (log) => log.type },
  { name: 'username', isForAdmins: true, value: (log) => log.username },
  { name: 'token_name', value: (log) => log.token_name },
  { name: 'group', value: (log) => log.group },
  { name: 'model_name', value: (log) => log.model_name },
  { name: 'channel', isForAdmins: true, value: (log) => log.channel },
  { name: 'is_stream', value: (log) => String(log.is_stream) },
  { name: 'duration_ms', value: (log) => Math.round(otherOf(log)?.duration_ms ?? log.use_time * 1000) },
  { name: 'first_byte_ms', value: (log) => otherOf(log)?.frt ?? '' },
  { name: 'prompt_tokens', value: (log) => log.prompt_tokens },
  { name: 'cache_tokens', value: (log) => otherOf(log)?.cache_tokens ?? '' },
  { name: 'completion_tokens', value: (log) => log.completion_tokens },
  { name: 'quota', value: (log) => log.quota },
  // What the rows add up to: what calls took, and what codes, payments and administrators gave or took.
  { name: 'balance_change', value: balanceChange },
  { name: 'quota_per_usd', value: (log) => otherOf(log)?.quota_per_unit ?? '' },
  { name: 'ending', value: (log) => endingOf(log) },
  { name: 'request_id', value: (log) => log.request_id },
  { name: 'event', value: (log) => otherOf(log)?.event?.code ?? '' },
  { name: 'by', isForAdmins: true, value: (log) => otherOf(log)?.admin_info?.by ?? '' },
  { name: 'content', value: (log) => log.content },
];

const shownTo = (isAdmin: boolean) => columns.filter((column) => isAdmin || column.isForAdmins !== true);

export function csvHead(isAdmin: boolean): string {
  return csvMark + csvRow(shownTo(isAdmin).map(({ name }) => name));
}

export function csvLine(log: Log, isAdmin: boolean): string {
  return csvRow(shownTo(isAdmin).map(({ value }) => value(log)));
}

/** As the list has it, with `other` as the object that it is. */
export function jsonLine(log: Log): string {
  return `${JSON.stringify({ ...log, other: otherOf(log) })}\n`;
}
