// A SQLite file is whatever its maker wants it to be.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { pagesOf, SourceError, type SourceDatabase, type SourceRow } from './source-database.ts';
import { openSqliteSource } from './sqlite-source.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-sqlite-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function sourceWith(sql: string): SourceDatabase {
  const file = path.join(folder, `${(count += 1)}.db`);
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return openSqliteSource(file);
}

const series = (rows: number, select: string) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO logs SELECT ${select} FROM n`;

async function readAll(source: SourceDatabase, limit?: number): Promise<SourceRow[][]> {
  const pages: SourceRow[][] = [];
  for await (const page of pagesOf(source, 'logs', limit === undefined ? {} : { limit })) {
    pages.push([...page]);
    if (pages.length > 50) throw new Error('The pages have no end');
  }
  return pages;
}

describe('a SQLite source', () => {
  it('with large values has smaller pages, and no row is lost', async () => {
    const source = sourceWith(`CREATE TABLE logs (id INTEGER PRIMARY KEY, other BLOB); ${series(6, 'i, zeroblob(17000000)')}`);
    const pages = await readAll(source);
    expect(pages.flat().map(({ id }) => id)).toEqual(Array.from({ length: 6 }, (_, index) => index + 1));
    expect(pages.map(({ length }) => length)).toEqual([4, 2]);
    await source.close();
  });

  it('whose ids cannot be told apart as numbers is refused instead of read in circles', async () => {
    const source = sourceWith(`CREATE TABLE logs (id INTEGER PRIMARY KEY); ${series(30, '4611686018427387904 + i')}`);
    await expect(readAll(source, 10)).rejects.toThrow(SourceError);
    await source.close();
  });
});
