// SQL of a page and of a total. The engines differ in quoting and placeholders only.
import { type PageRequest, SourceError, type SourceDatabase, type TotalFilter, type Totals } from './source-database.ts';

export interface SqlDialect {
  quote(name: string): string;
  /** Placeholder of the `index`th parameter, from 1. */
  placeholder(index: number): string;
}

export interface Statement {
  text: string;
  values: (number | string)[];
}

export const backticks: SqlDialect = { quote: (name) => `\`${checked(name)}\``, placeholder: () => '?' };
export const doubleQuotes: SqlDialect = { quote: (name) => `"${checked(name)}"`, placeholder: (index) => `$${index}` };

export function pageStatement(
  dialect: SqlDialect,
  { tables }: Pick<SourceDatabase, 'tables'>,
  table: string,
  { key, tie, after, before, since, limit }: PageRequest,
): Statement {
  requireColumn(tables, table, key);
  if (tie !== undefined) requireColumn(tables, table, tie);
  const values: (number | string)[] = [];
  const conditions: string[] = [];
  const place = (value: number | string) => {
    values.push(value);
    return dialect.placeholder(values.length);
  };
  const order = (tie === undefined ? [key] : [key, tie]).map(dialect.quote).join(', ');
  for (const [operator, bound] of [
    ['>', after],
    ['<', before],
  ] as const) {
    if (bound === undefined) continue;
    conditions.push(
      typeof bound === 'object'
        ? `(${order}) ${operator} (${bound.map(place).join(', ')})`
        : `${dialect.quote(key)} ${operator} ${place(bound)}`,
    );
  }
  if (since !== undefined) {
    requireColumn(tables, table, since.column);
    conditions.push(`${dialect.quote(since.column)} >= ${place(since.value)}`);
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return { text: `SELECT * FROM ${dialect.quote(table)}${where} ORDER BY ${order} LIMIT ${Math.max(1, Math.floor(limit))}`, values };
}

export function totalStatement(
  dialect: SqlDialect,
  { tables }: Pick<SourceDatabase, 'tables'>,
  table: string,
  { sum = [], where = [] }: { sum?: readonly string[]; where?: readonly TotalFilter[] },
): Statement {
  const columns = tables.get(table);
  const values: (number | string)[] = [];
  const sums = sum.map((name, index) => `${columns?.has(name) ? `SUM(${dialect.quote(name)})` : '0'} AS s${index}`);
  const conditions = where
    // A column that is not there holds for every row: nothing is deleted where nothing can be marked so.
    .filter(({ column }) => columns?.has(column))
    .map(({ column, is, value }) => {
      const name = dialect.quote(column);
      if (is === 'null') return `${name} IS NULL`;
      if (is === 'false') return `(${name} IS NULL OR NOT ${name})`;
      values.push(value ?? 0);
      const place = dialect.placeholder(values.length);
      if (is === 'not') return `(${name} IS NULL OR ${name} <> ${place})`;
      return `${name} ${{ eq: '=', lte: '<=', gte: '>=' }[is]} ${place}`;
    });
  const clause = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return { text: `SELECT COUNT(*) AS c${sums.map((one) => `, ${one}`).join('')} FROM ${dialect.quote(table)}${clause}`, values };
}

export function greatestStatement(
  dialect: SqlDialect,
  { tables }: Pick<SourceDatabase, 'tables'>,
  table: string,
  column: string,
): Statement {
  requireColumn(tables, table, column);
  return { text: `SELECT MAX(${dialect.quote(column)}) AS c FROM ${dialect.quote(table)}`, values: [] };
}

/** @throws {SourceError} if a sum is beyond 2^53 */
export function totalsOf(row: Readonly<Record<string, unknown>>, sum: readonly string[]): Totals {
  const sums: Record<string, number> = {};
  for (const [index, name] of sum.entries()) sums[name] = exact(row[`s${index}`], name);
  return { count: exact(row['c'], 'count'), sums };
}

function exact(value: unknown, name: string): number {
  const number = value === null || value === undefined ? 0 : Number(value);
  if (!Number.isFinite(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER) throw new SourceError(`The sum of ${name} is too large`);
  return number;
}

function requireColumn(tables: SourceDatabase['tables'], table: string, column: string): void {
  if (tables.get(table)?.has(column) !== true) throw new SourceError(`The source has no column ${table}.${column}`);
}

/** Names come from the source's catalogue or from this program; a name that needs escaping is neither. */
function checked(name: string): string {
  if (!/^\w+$/.test(name)) throw new SourceError(`The source has a name that cannot be read: ${JSON.stringify(name.slice(0, 60))}`);
  return name;
}
