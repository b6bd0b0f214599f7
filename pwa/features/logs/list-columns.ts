import { type Log, LogType } from '#shared/logs.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';

/** Columns that only calls fill. */
const ofCalls: ReadonlySet<string> = new Set(['channel', 'use_time', 'first', 'prompt', 'completion']);
const withoutCalls: ReadonlySet<number> = new Set([LogType.topUp, LogType.management, LogType.system, LogType.refusal]);

const tightWidths = new Map([
  ['username', 80],
  ['member', 80],
  ['channel', 112],
  ['token', 88],
]);

interface Listed {
  /** Of the rows, where all have one: a list without calls leaves the columns of calls to its sentences. */
  type: number | undefined;
  /** With an open panel. The cells stay the same, so no row is redrawn when a record is opened. */
  isTight: boolean;
}

export function listColumns(columns: Column<Log>[], { type, isTight }: Listed): Column<Log>[] {
  const filled = type !== undefined && withoutCalls.has(type) ? columns.filter(({ key }) => !ofCalls.has(key)) : columns;
  if (!isTight) return filled;
  return filled.map((column) => {
    const width = tightWidths.get(column.key);
    return width === undefined ? column : { ...column, width };
  });
}
