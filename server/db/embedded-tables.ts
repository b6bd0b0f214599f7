// Writes tables and their indexes as SQL.
import type { IndexSpec } from '#server/db/collection.ts';
import { jsonPath, type Table } from '#server/db/embedded-sql.ts';

export function createTable(table: Table): string {
  const columns = [
    table.textIds ? 'id TEXT NOT NULL PRIMARY KEY' : 'id INTEGER PRIMARY KEY',
    'doc TEXT NOT NULL',
    ...table.indexed.values(),
  ];
  return `CREATE TABLE IF NOT EXISTS "${table.name}" (${columns.join(', ')})${table.textIds ? ' WITHOUT ROWID' : ''}`;
}

/** Fills new columns of existing rows. */
export function fillColumns(table: Table, fields: readonly string[]): string {
  const values = fields.map((field) => `${table.indexed.get(field)} = doc->>'${jsonPath(field)}'`);
  return `UPDATE "${table.name}" SET ${values.join(', ')}`;
}

/** Index names are global in SQLite. */
export function indexName(table: Table, index: IndexSpec): string {
  return `${table.name}__${index.name}`;
}

export function createIndex(table: Table, index: IndexSpec): string {
  let fields = index.fields.map((field) => ({ path: field.replace(/^-/, ''), descending: field.startsWith('-') }));
  const last = fields.at(-1);
  if (last?.path === 'id' && fields.length > 1 && index.unique !== true) {
    // Every index ends with the id, ascending. For a descending id, all directions are reversed: indexes are read both
    // ways.
    if (last.descending) fields = fields.map((field) => ({ path: field.path, descending: !field.descending }));
    fields.pop();
  }
  const terms = fields.map(({ path, descending }) => (table.indexed.get(path) ?? path) + (descending ? ' DESC' : ''));
  const first = fields[0] === undefined ? undefined : table.indexed.get(fields[0].path);
  return (
    `CREATE ${index.unique === true ? 'UNIQUE ' : ''}INDEX "${indexName(table, index)}" ON "${table.name}" (${terms.join(', ')})` +
    (index.sparse === true && first !== undefined ? ` WHERE ${first} IS NOT NULL` : '')
  );
}
