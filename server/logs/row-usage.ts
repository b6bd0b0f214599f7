// Sums of calls by name, for hours read from rows.
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { Database } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { addSums, emptySums } from './rollup-shape.ts';
import type { RowCell } from './row-sums-cache.ts';
import { countedRows, rowSums, summedRows } from './summed-rows.ts';
import { tokenUsageName, type UsageKind } from './usage-keys.ts';

export function addNamed(totals: Map<string, CallSums>, name: string, sums: CallSums): void {
  let known = totals.get(name);
  if (known === undefined) totals.set(name, (known = emptySums()));
  addSums(known, sums);
}

export function cellName(cell: RowCell, kind: UsageKind): string {
  if (kind === 'all') return '';
  if (kind === 'model') return cell.modelName;
  if (kind === 'channel') return String(cell.channelId);
  if (kind === 'user') return String(cell.userId);
  return tokenUsageName(cell);
}

/** For spans with very many calls. */
export async function groupRows(
  db: Database,
  { kind, userId }: { kind: UsageKind; userId: number | undefined },
  { start, seconds }: { start: number; seconds: number },
): Promise<Map<string, CallSums>> {
  const fields = rowFields[kind];
  const filter: Filter<LogRecord> = {
    ...(userId === undefined ? {} : { user_id: userId }),
    and: [{ created_at: { gte: start } }, { created_at: { lt: start + seconds } }, countedRows, { hidden: { exists: false } }],
  };
  const totals = new Map<string, CallSums>();
  for (const row of await db.collection('logs').group({ filter, by: [...fields, 'failed', 'type'], sum: summedRows })) {
    const field: string | undefined = fields.at(0);
    const name = kind === 'token' ? rowTokenName(row, Number(row['user_id'])) : field === undefined ? '' : String(row[field] ?? '');
    addNamed(totals, name, rowSums(row));
  }
  return totals;
}

export function rowTokenName(row: GroupRow, userId: number): string {
  return tokenUsageName({ userId, tokenId: Number(row['token_id'] ?? 0), tokenName: String(row['token_name'] ?? '') });
}

const rowFields = {
  all: [],
  model: ['model_name'],
  channel: ['channel_id'],
  user: ['user_id'],
  token: ['user_id', 'token_id', 'token_name'],
} as const satisfies Record<UsageKind, readonly string[]>;
