// Reads SQLite's query plan: which index is used, and whether the query is certain to be short.
import type { QueryPlan } from '#server/db/database.ts';
import type { SqlText } from '#server/db/embedded-sql.ts';

export interface ReadPlan extends QueryPlan {
  /** The index covers the filter and the order, so no more rows are read than requested. */
  isBounded: boolean;
}

export function readPlan(rows: readonly Record<string, unknown>[], text: SqlText): ReadPlan {
  const { table } = text;
  const details = rows.map((row) => String(row['detail']));
  const access = details.find((detail) => detail.startsWith(`SEARCH ${table.name}`) || detail.startsWith(`SCAN ${table.name}`)) ?? '';
  const sorts = details.some((detail) => detail.includes('USE TEMP B-TREE'));
  const named = /INDEX (\S+?)__(\S+)/.exec(access);
  const isByKey = access.includes('PRIMARY KEY') || access.includes('sqlite_autoindex');
  const index = named?.[2] ?? (isByKey ? 'id' : undefined);
  const answered = /\((.*)\)$/.exec(access)?.[1]?.split(' AND ').length ?? 0;
  return {
    index,
    // Walking an index in its order is no scan; walking the table is, unless the order is that of ids.
    scans: !access.startsWith('SEARCH') && !(index !== undefined && text.comparisons === 0 && !text.opaque),
    sorts,
    isBounded: !text.opaque && !sorts && answered >= text.comparisons,
  };
}
