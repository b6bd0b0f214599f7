// Long reads of the embedded engine: every account has its turn after every other, however many reads one has requested.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { EmbeddedReader } from '#server/db/embedded-reader.ts';
import { openDatabase } from '#server/db/open.ts';
import { readingFor } from '#server/db/reading-for.ts';
import { silentLog } from '#server/db/thread-log.ts';

let folder: string;
let db: Database;
let reader: EmbeddedReader;
let order: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-turns-'));
  const file = join(folder, 'test.db');
  db = await openDatabase(`file:${file}`);
  reader = new EmbeddedReader(file, silentLog);
  order = [];
});
afterEach(async () => {
  await reader.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(name: string): Promise<void> {
  const rows = await reader.all({ sql: 'SELECT ? AS name', parameters: [name] });
  expect(rows).toEqual([{ name }]);
  order.push(name);
}
const several = (name: string, count: number) => Array.from({ length: count }, (_, index) => ask(`${name}${index}`));

it('who asks one thing waits for at most one of those who ask many', async () => {
  const requested = [
    ...readingFor('user:1', () => several('a', 30)),
    ...readingFor('user:2', () => several('b', 30)),
    ...readingFor('user:3', () => several('c', 2)),
  ];
  await Promise.all(requested);
  expect(order).toHaveLength(62);
  expect(order.slice(0, 6)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1']);
});

it('what is read for nobody in particular does not wait for lines of accounts', async () => {
  const requested = [...readingFor('user:1', () => several('a', 20)), ...several('job', 3)];
  await Promise.all(requested);
  expect(order.slice(0, 4).toSorted()).toEqual(['a0', 'job0', 'job1', 'job2']);
});

it('a question that fails lets the next one of its account in', async () => {
  const [wrong, right] = readingFor('user:1', () => [reader.all({ sql: 'SELECT missing FROM counters', parameters: [] }), ask('a')]);
  await expect(wrong).rejects.toThrow('no such column');
  await right;
  expect(order).toEqual(['a']);
});

it('those who wait when it is closed are told so', async () => {
  const requested = readingFor('user:1', () => several('a', 3));
  const outcomes = Promise.allSettled(requested);
  await reader.close();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'DatabaseClosed' } });
});
