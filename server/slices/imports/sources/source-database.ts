// Interface of the databases that are imported from. They are only read, one page of rows at a time, so that memory is bounded.

/** Values as the driver returns them; `row-values.ts` reads them. A column may be absent or null. */
export type SourceRow = Readonly<Record<string, unknown>>;

export type RowKey = number | string | readonly [string, string];

export interface PageRequest {
  /** Unique column that orders the rows. */
  key: string;
  /** Further column of the order, where the key is not unique. Keys are then pairs of both. */
  tie?: string | undefined;
  /** Rows after this key; if undefined, from the first. */
  after?: RowKey | undefined;
  /** Rows before this key. */
  before?: RowKey | undefined;
  /** Rows whose column is at least that value. */
  since?: { column: string; value: number | string } | undefined;
  limit: number;
}

/** Conditions of a total, all of which must hold. */
export interface TotalFilter {
  column: string;
  /** `not` includes null. */
  is: 'eq' | 'not' | 'null' | 'false' | 'lte' | 'gte';
  value?: number | string;
}

export interface Totals {
  count: number;
  /** Sums by column. Exact up to 2^53. */
  sums: Readonly<Record<string, number>>;
}

export interface SourceDatabase {
  readonly engine: 'sqlite' | 'mysql' | 'postgresql';
  /** Version of the engine, for display. */
  readonly version: string;
  /** Columns of each table, by name. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows in ascending order of the key: fewer than the limit if they are large, none only after the last. */
  page(table: string, request: PageRequest): Promise<SourceRow[]>;
  /** Number of rows and sums of columns. Absent columns sum to 0. */
  total(table: string, options?: { sum?: readonly string[]; where?: readonly TotalFilter[] }): Promise<Totals>;
  /** Greatest value of an integer column; 0 if there is no row. */
  greatest(table: string, column: string): Promise<number>;
  close(): Promise<void>;
}

/** `unknown`: the database of another program. `unsupported`: of a gateway that cannot be imported from. */
export type SourceFailure = 'unreachable' | 'unreadable' | 'unknown' | 'unsupported';

/** The source cannot be opened or read. The message contains no secret. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly failure: SourceFailure;
  constructor(message: string, { failure = 'unreadable', cause }: { failure?: SourceFailure; cause?: unknown } = {}) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** Rows per page. */
export const pageSize = 500;

/** All rows of a table, page by page. @throws {SourceError} if its keys do not order it */
export async function* pagesOf(
  source: SourceDatabase,
  table: string,
  request: Partial<PageRequest> = {},
): AsyncGenerator<readonly SourceRow[]> {
  if (!source.tables.has(table)) return;
  const { key = 'id', tie, limit = pageSize } = request;
  let { after } = request;
  for (;;) {
    const rows = await source.page(table, { ...request, key, after, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    const next = keyOf(last, key, tie);
    if (next === undefined || String(next) === String(after))
      throw new SourceError(`The rows of the table ${table} have no order by ${key}`);
    yield rows;
    after = next;
  }
}

/** Undefined for one by which no page can begin, such as an integer beyond 2^53, which another one is equal to. */
function keyOf(row: SourceRow, key: string, tie: string | undefined): RowKey | undefined {
  const value = row[key];
  if (tie !== undefined) return [String(value), String(row[tie])];
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

/** All rows of a small table. @throws {SourceError} if there are more than `most` */
export async function allRows(source: SourceDatabase, table: string, { key = 'id', most = 20_000 } = {}): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const page of pagesOf(source, table, { key })) {
    rows.push(...page);
    if (rows.length > most) throw new SourceError(`The table ${table} has more than ${most} rows`);
  }
  return rows;
}

export function hasColumn(source: Pick<SourceDatabase, 'tables'>, table: string, column: string): boolean {
  return source.tables.get(table)?.has(column) === true;
}
