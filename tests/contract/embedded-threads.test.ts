import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { until } from '#tests/support/until.ts';

let folder: string;
let db: Database;
/** Threads as they were started, and what is done to each. */
let threads: Worker[];
let treat: (thread: Worker) => void;
let reported: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-threads-'));
  threads = [];
  reported = [];
  treat = () => {};
  const { unref } = Worker.prototype;
  vi.spyOn(Worker.prototype, 'unref').mockImplementation(function remember(this: Worker) {
    if (!threads.includes(this)) {
      threads.push(this);
      treat(this);
    }
    unref.call(this);
  });
  const log = {
    warn: (_facts: unknown, text: string) => reported.push(text),
    error: (_facts: unknown, text: string) => reported.push(text),
  };
  // Only the two ways of the logger that are used.
  db = await openDatabase(`file:${join(folder, 'test.db')}`, { log: Object.assign(Object.create(null), log) });
});
afterEach(async () => {
  await db.close();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const fact = (id: string, size: number) => ({ id, value: 'x'.repeat(size) });
/** Of more than 500 a thread makes the sums. */
async function addFacts(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await db.collection('facts').insert(fact(`fact ${String(index).padStart(4, '0')}`, 10));
}
const fileSize = () => statSync(join(folder, 'test.db')).size;

it('a checkpoint thread that dies is started again, and the log is moved into the file as before', async () => {
  await until(() => threads.length === 1);
  await threads[0]?.terminate();
  await until(() => threads.length === 2);
  expect(reported).toEqual(['the thread that keeps the write-ahead log short has ended and is started again']);
  const before = fileSize();
  for (let index = 0; index < 4; index += 1) await db.collection('facts').insert(fact(`big ${index}`, 1_000_000));
  await until(() => fileSize() > before + 3_000_000);
});

it('what a reader that dies left unanswered is asked again', async () => {
  const logs = db.collection('facts');
  await addFacts(900);
  const first = logs.group({ by: [] });
  const reader = threads.at(-1);
  const [counted] = await Promise.all([first, reader?.terminate()]);
  expect(counted).toEqual([{ count: 900 }]);
  expect(await logs.group({ by: [] })).toEqual([{ count: 900 }]);
  expect(reported.length).toBeLessThanOrEqual(1);

  // A long read resumes where it was.
  const seen: string[] = [];
  for await (const { id } of logs.each({})) {
    seen.push(id);
    if (seen.length === 250) await Promise.all(threads.map((thread) => thread.terminate()));
  }
  expect(seen).toHaveLength(900);
  expect(new Set(seen).size).toBe(900);
  expect(reported).toContain('a thread that reads the database has ended and is replaced');
});

it('many sums come in parts, and from the start again when their thread dies between two of them', async () => {
  const sums = db.collection('usage_sums');
  const record = {
    key: 'k',
    start: 0,
    calls: 1,
    errors: 0,
    quota: 2,
    prompt_tokens: 0,
    completion_tokens: 0,
    first_byte_ms: 0,
    duration_ms: 0,
  };
  for (let index = 0; index < 1_500; index += 1) await sums.insert({ ...record, id: `${index}`, name: `name ${index}` });
  const ask = () => sums.group({ by: ['name'], sum: { quota: 'quota' } });
  const expected = await ask();
  expect(expected).toHaveLength(1_500);
  expect(new Set(expected.map((row) => row['name'])).size).toBe(1_500);
  expect(expected.every((row) => row.count === 1 && row['quota'] === 2)).toBe(true);
  const { postMessage } = Worker.prototype;
  let parts = 0;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function post(this: Worker, message: unknown) {
    const isRest = typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'rest';
    if (isRest) parts += 1;
    if (isRest && parts === 2) void this.terminate();
    else postMessage.call(this, message);
  });
  expect(await ask()).toEqual(expected);
  expect(parts).toBeGreaterThan(4);
  expect(reported).toContain('a thread that reads the database has ended and is replaced');
});

it('threads that end at once are not started for ever', async () => {
  treat = (thread) => void thread.terminate();
  await addFacts(501);
  await expect(db.collection('facts').group({ by: [] })).rejects.toThrow('The thread that reads the database ended');
  for (let attempt = 0; attempt < 20; attempt += 1)
    await db
      .collection('facts')
      .group({ by: [] })
      .catch(() => undefined);
  const readers = reported.filter((text) => text.includes('reads the database'));
  expect(readers.length).toBeLessThanOrEqual(7);
});

it('sums of a few records need no thread', async () => {
  await addFacts(500);
  expect(await db.collection('facts').group({ by: [] })).toEqual([{ count: 500 }]);
  expect(threads).toEqual([]);
});
