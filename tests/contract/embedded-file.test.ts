// What is special about the embedded engine: its file, kill -9, and several processes on one file.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseFileError } from '#server/db/embedded-file.ts';
import { openDatabase } from '#server/db/open.ts';
import { logRecord, userRecord } from '#tests/contract/records.ts';
import { until } from '#tests/support/until.ts';

let folder = '';
let file = '';
let url = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-file-'));
  file = join(folder, 'new', 'folder', 'x.db');
  url = `file:${file}`;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `embedded-writer.ts`; `acknowledged` are the lines it has written so far. */
function startWriter(...parameters: string[]) {
  const script = fileURLToPath(new URL('./embedded-writer.ts', import.meta.url));
  const report = join(folder, `report${children.length}`);
  writeFileSync(report, '');
  const child = spawn(process.execPath, [script, url, report, ...parameters], { stdio: 'inherit' });
  children.push(child);
  return { child, acknowledged: () => readFileSync(report, 'utf8').split('\n').slice(0, -1) };
}

describe('the embedded file', () => {
  it('is created with its folders, for its owner only, and keeps what was written over a restart', async () => {
    const first = await openDatabase(url);
    await first.collection('users').insert(userRecord({ id: await first.nextId('users'), quota: 5 }));
    await first.collection('users').patch({ id: 1 }, { increment: { quota: 1 } });
    await first.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await openDatabase(url);
    expect(await second.collection('users').get(1)).toEqual(userRecord({ id: 1, quota: 6 }));
    expect(await second.nextId('users')).toBe(2);
    await second.close();
  });

  it('lets others have their turn while somebody reads and writes without a pause', async () => {
    const db = await openDatabase(url);
    await db.collection('users').insert(userRecord({ id: 1, quota: 0 }));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    let writes = 0;
    // Bounded by work, not by a clock: where others got no turn, none of these writes would let the timer fire.
    while (turns <= 5 && writes < 50_000) {
      await db.collection('users').patch({ id: 1 }, { increment: { quota: 1 } });
      await db.collection('users').get(1);
      writes += 1;
    }
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(await db.collection('users').get(1)).toMatchObject({ quota: writes });
    await db.close();
  });

  it('gets the columns and indexes that its collections have now', async () => {
    const first = await openDatabase(url);
    await first.collection('users').insert(userRecord({ id: 1, username: 'a', group: 'vip' }));
    await first.close();
    // As an earlier version may have left it: a field not indexed yet, and one that no longer is.
    const other = new DatabaseSync(file);
    other.exec('DROP INDEX users__group; ALTER TABLE users DROP COLUMN x_group');
    other.exec('ALTER TABLE users ADD COLUMN x_setting; CREATE INDEX users__setting ON users (x_setting)');
    other.close();
    const second = await openDatabase(url);
    expect((await second.collection('users').find({ group: 'vip' })).map((user) => user.id)).toEqual([1]);
    expect(await second.explain('users', { group: 'vip' })).toEqual({ index: 'group', scans: false, sorts: false });
    expect((await second.collection('users').patch({ id: 1 }, { set: { setting: 'x', group: 'default' } }))?.group).toBe('default');
    expect(await second.collection('users').find({ group: 'vip' })).toEqual([]);
    await second.close();
  });

  it('keeps every acknowledged write when the process is killed', async () => {
    const { child, acknowledged } = startWriter('append');
    await until(() => acknowledged().length >= 300);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const db = await openDatabase(url);
    const last = Number(acknowledged().at(-1));
    const rows = new Set((await db.collection('logs').find({})).map((row) => row.seq));
    for (let seq = 1; seq <= last; seq += 1) expect(rows.has(seq), `row ${seq} of ${last}`).toBe(true);
    // A batch is whole or not there: rows and balance agree.
    expect((await db.collection('users').get(1))?.used_quota).toBe(rows.size);
    expect(await db.nextId('logs')).toBeGreaterThan(last);
    await db.close();
  });

  it('loses nothing when two processes increment one record as fast as they can', async () => {
    const db = await openDatabase(url);
    await db.collection('users').insert(userRecord({ id: 1 }));
    const writers = [startWriter('increment', 'a', '1500'), startWriter('increment', 'b', '1500')];
    const exits = await Promise.all(writers.map(({ child }) => once(child, 'exit')));
    expect(exits).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(await db.collection('users').get(1)).toMatchObject({ used_quota: 3_000, leases: { a: 1_500, b: 1_500 } });
    const ids = writers.flatMap(({ acknowledged }) => acknowledged());
    expect(ids).toHaveLength(3_000);
    expect(new Set(ids).size).toBe(3_000);
    await db.close();
  });

  it('waits for the lock of another process without blocking the event loop, and keeps the order of writes', async () => {
    const db = await openDatabase(url);
    await db.collection('users').insert(userRecord({ id: 1 }));
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 5);
    let isWritten = false;
    const writes = Promise.all([
      db.collection('users').patch({ id: 1 }, { set: { email: 'first' } }),
      db.collection('users').patch({ id: 1 }, { set: { email: 'second' } }),
      db.write([{ patch: { set: { email: 'third' } }, of: 'users', where: { id: 1 } }]),
    ]).then(() => (isWritten = true));
    await until(() => turns > 20);
    expect(isWritten).toBe(false);
    expect((await db.collection('users').get(1))?.email).toBe('');
    other.exec('COMMIT');
    await writes;
    clearInterval(ticking);
    expect((await db.collection('users').get(1))?.email).toBe('third');
    other.close();
    await db.close();
  });

  it('does not block the event loop with sums and scans', async () => {
    const db = await openDatabase(url);
    for (let start = 0; start < 20_000; start += 1_000) {
      await db.write(
        Array.from({ length: 1_000 }, (_, index) => ({
          insert: logRecord({ id: start + index + 1, content: `row ${index}`, quota: 1 }),
          into: 'logs',
        })),
      );
    }
    const logs = db.collection('logs');
    // Executed on the event loop, a call is over before the loop comes round once, however often it is made. In a worker it may be so
    // where the loop's thread did not run meanwhile.
    const readBeside = async <Result>(read: () => Promise<Result>): Promise<Result> => {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        let hasTurned = false;
        setImmediate(() => (hasTurned = true));
        const result = await read();
        if (hasTurned) return result;
      }
      throw new Error('The event loop did not turn during any read');
    };
    const grouped = await readBeside(() => logs.group({ by: ['content'], sum: { quota: 'quota' } }));
    expect(grouped).toHaveLength(1_000);
    expect(await readBeside(() => logs.count({ content: { contains: 'W 99' } }))).toBe(220);
    expect(await readBeside(() => logs.find({ content: { contains: 'nowhere' } }, { sort: [['quota', 1]] }))).toEqual([]);
    await db.close();
  });

  it('the write-ahead log stays short under steady writing', async () => {
    const db = await openDatabase(url);
    await db.collection('users').insert(userRecord({ id: 1, setting: 'x'.repeat(2_000) }));
    for (let round = 0; round < 150; round += 1) {
      for (let write = 0; write < 200; write += 1) await db.collection('users').patch({ id: 1 }, { increment: { quota: 1 } });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // 30,000 commits of some 50 KB each would be well above 1 GB.
    await until(() => statSync(`${file}-wal`).size < 100 * 1024 * 1024);
    expect((await db.collection('users').get(1))?.quota).toBe(30_000);
    await db.close();
  });

  it('a log that begins anew is written over, and cut only where a long read has let it grow', async () => {
    const db = await openDatabase(url);
    const facts = db.collection('facts');
    const write = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const value = String(index % 10).repeat(1_000_000); // pages that stay as they are would not be written
        await facts.patch({ id: 'fact' }, { set: { value } }, { insertIfMissing: { id: 'fact', value } });
      }
    };
    const other = new DatabaseSync(file);
    const log = () => {
      const { log: frames = 0, checkpointed = 0 } = other.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {};
      return { frames: Number(frames), checkpointed: Number(checkpointed) };
    };
    const size = () => statSync(`${file}-wal`).size;

    // The write-ahead log cannot restart while a reader holds the initial state.
    const writeWhileRead = async (count: number) => {
      other.exec('BEGIN');
      other.prepare('SELECT count(*) FROM facts').get();
      await write(count);
      other.exec('COMMIT');
    };
    await writeWhileRead(40);
    const grown = size();
    expect(grown).toBeGreaterThan(40_000_000);
    await until(() => log().checkpointed === log().frames);
    await write(1);
    expect(log().frames).toBeLessThan(1_000);
    expect(size()).toBe(grown);

    await writeWhileRead(110);
    expect(size()).toBeGreaterThan(100_000_000);
    await until(() => size() < 100_000_000);
    other.close();
    await write(1);
    expect((await facts.get('fact'))?.value).toHaveLength(1_000_000);
    await db.close();
  });
});

describe('a file that cannot be used is refused with one line and left as it is', () => {
  const refused = async (message: RegExp) => {
    const before = readFileSync(file);
    const error: unknown = await openDatabase(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseFileError);
    if (!(error instanceof DatabaseFileError)) return;
    expect(error.message).toMatch(message);
    expect(error.message).toContain(file);
    expect(error.message).not.toContain('\n');
    expect(readFileSync(file).equals(before)).toBe(true);
  };
  const createWith = (sql: string) => {
    const other = new DatabaseSync(file);
    other.exec(sql);
    other.close();
  };
  beforeEach(() => mkdirSync(join(folder, 'new', 'folder'), { recursive: true }));

  it('because it is no database', async () => {
    writeFileSync(file, 'Dear diary, today I wrote to the wrong file.');
    await refused(/is not a database/);
  });

  it('because it is damaged', async () => {
    const db = await openDatabase(url);
    for (let id = 1; id <= 200; id += 1) await db.collection('users').insert(userRecord({ id, setting: 'x'.repeat(500) }));
    await db.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096 * 3, 4096 * 12);
    writeFileSync(file, bytes);
    await refused(/is damaged/);
  });

  it('because it is cut short', async () => {
    const db = await openDatabase(url);
    for (let id = 1; id <= 200; id += 1) await db.collection('users').insert(userRecord({ id, setting: 'x'.repeat(500) }));
    await db.close();
    truncateSync(file, 20_000);
    await refused(/is damaged/);
  });

  it('because a newer version wrote it', async () => {
    await (await openDatabase(url)).close();
    createWith('PRAGMA user_version = 999');
    await refused(/newer version/);
  });

  it('because another program owns it', async () => {
    createWith('CREATE TABLE theirs (x)');
    await refused(/another program/);
  });

  it('because it is a folder', async () => {
    mkdirSync(file);
    await expect(openDatabase(url)).rejects.toThrow(DatabaseFileError);
  });

  it('because its folder cannot be made', async () => {
    writeFileSync(join(folder, 'plain'), '');
    await expect(openDatabase(`file:${join(folder, 'plain', 'x.db')}`)).rejects.toThrow(DatabaseFileError);
  });
});
