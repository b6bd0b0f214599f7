// The filtered list as a file for a spreadsheet, read page by page with the cursor.
import type { TFunction } from 'i18next';
import { endingOf } from '#shared/log-ending.ts';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { tokenName } from '#pwa/ui/billing/token-name.ts';
import { toastFailure, toastNote } from '#pwa/ui/frame/toast.ts';
import { durationOf } from './log-summary.ts';
import { boundsOfList, type LogList, readForExport } from './queries.ts';

/** Enough for a month of one user; more belongs into a copy of the database. */
const rowLimit = 10_000;

/** Saves the list as CSV. Failures are shown, not thrown. */
export async function exportLogs(list: LogList, t: TFunction): Promise<void> {
  try {
    const { rows, isCut } = await readAll(list);
    if (rows.length === 0) return toastNote(t('logs.export.empty'));
    save(csvOf(rows, list.isAdmin, t));
    if (isCut) toastNote(t('logs.export.cut', { limit: rowLimit.toLocaleString('en-US') }));
  } catch (error) {
    toastFailure(failureOf(error));
  }
}

async function readAll(list: LogList): Promise<{ rows: Log[]; isCut: boolean }> {
  const bounds = boundsOfList(list);
  const rows: Log[] = [];
  let cursor: string | undefined;
  do {
    const page = await readForExport(list, bounds, cursor);
    rows.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && rows.length < rowLimit);
  return { rows, isCut: cursor !== undefined };
}

const columns: { name: string; isForAdmins?: true; value: (log: Log, t: TFunction) => string | number }[] = [
  { name: 'time', value: (log) => new Date(log.created_at * 1000).toISOString() },
  { name: 'type', value: (log) => log.type },
  { name: 'username', isForAdmins: true, value: (log) => log.username },
  { name: 'token_name', value: tokenName },
  { name: 'group', value: (log) => log.group },
  { name: 'model_name', value: (log) => log.model_name },
  { name: 'channel', isForAdmins: true, value: (log) => log.channel },
  { name: 'is_stream', value: (log) => String(log.is_stream) },
  { name: 'duration_ms', value: (log) => Math.round(durationOf(log)) },
  { name: 'first_byte_ms', value: (log) => otherOf(log)?.frt ?? '' },
  { name: 'prompt_tokens', value: (log) => log.prompt_tokens },
  { name: 'cache_tokens', value: (log) => otherOf(log)?.cache_tokens ?? '' },
  { name: 'completion_tokens', value: (log) => log.completion_tokens },
  { name: 'quota', value: (log) => log.quota },
  { name: 'quota_per_usd', value: (log) => otherOf(log)?.quota_per_unit ?? '' },
  { name: 'ending', value: (log) => endingOf(log) },
  { name: 'request_id', value: (log) => log.request_id },
  { name: 'content', value: (log) => log.content },
];

export function csvOf(rows: readonly Log[], isAdmin: boolean, t: TFunction): string {
  const shown = columns.filter((column) => isAdmin || column.isForAdmins !== true);
  const lines = [shown.map((column) => column.name), ...rows.map((log) => shown.map((column) => cell(column.value(log, t))))];
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}

/** RFC 4180; and a text that a spreadsheet would run as a formula is made a plain text. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function save(text: string): void {
  // The mark at the beginning tells spreadsheets that this is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `usage-logs-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
