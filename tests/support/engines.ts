// The storage engines that tests run against. A file that takes `engines` runs a second time where TEST_MONGODB_URL names a server, on MongoDB
// (`tests/both-engines.ts`); one that takes `oneEngine` runs on the embedded one alone.
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { openDatabase, type OpenOptions } from '#server/db/open.ts';
import { dropMongoDatabase, mongoUrl, testMongoUrl } from '#tests/support/mongo-databases.ts';

export interface TestDatabase {
  url: string;
  db: Database;
  /** Another handle on the same database, as a second process would have; closed by `remove`. */
  open(): Promise<Database>;
  /** Closes all handles and removes the database. */
  remove(): Promise<void>;
}

export interface Engine {
  kind: Database['kind'];
  create(): Promise<TestDatabase>;
}

export const embeddedEngine: Engine = {
  kind: 'embedded',
  async create() {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
    const file = join(folder, 'test.db');
    copyFileSync(await emptyDatabase(), file);
    return createOn(`file:${file}`, { hasSchema: true, drop: async () => rmSync(folder, { recursive: true, force: true }) });
  },
};

export const mongoEngine: Engine = {
  kind: 'mongodb',
  async create() {
    if (testMongoUrl === undefined) throw new Error('TEST_MONGODB_URL is not set');
    const url = mongoUrl(testMongoUrl, `tidegate_test_${randomUUID().replaceAll('-', '')}`);
    return createOn(url, { hasSchema: false, drop: () => dropMongoDatabase(url) });
  },
};

/** Those that this run of a file is for; without a word from `vitest.config.ts` all that there are. */
export const engines: readonly Engine[] = [embeddedEngine, mongoEngine].filter(({ kind }) => {
  const wanted = process.env['TEST_ENGINE'];
  return wanted === undefined ? kind === 'embedded' || testMongoUrl !== undefined : wanted === kind;
});

/** For what is the same on each engine. `TEST_ENGINES=all` runs it on both. */
export const oneEngine: readonly Engine[] = process.env['TEST_ENGINES'] === 'all' ? engines : [embeddedEngine];

/** Runs the same tests on each engine, every test on a database of its own. */
export function onEachEngine(title: string, tests: (current: () => TestDatabase) => void): void {
  for (const engine of engines) {
    describe(`${title} on ${engine.kind}`, () => {
      let database: TestDatabase | undefined;
      beforeEach(async () => {
        database = await engine.create();
      });
      afterEach(async () => {
        await database?.remove();
        database = undefined;
      });
      tests(() => {
        if (database === undefined) throw new Error('No database outside a test');
        return database;
      });
    });
  }
}

let emptyFile: Promise<string> | undefined;

/** A file with all tables and no record, made once in a process: making them takes longer than most tests. */
function emptyDatabase(): Promise<string> {
  return (emptyFile ??= makeEmptyDatabase());
}

async function makeEmptyDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-empty-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'empty.db');
  await (await openDatabase(`file:${file}`)).close();
  return file;
}

const mostTries = 20;

/** A server that many tests connect to at once may take longer to answer than a product would wait. */
export async function openPatiently(url: string, options?: OpenOptions): Promise<Database> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openDatabase(url, options);
    } catch (failure) {
      if (!(failure instanceof DatabaseUnavailable) || tries === mostTries) throw failure;
    }
  }
}

async function createOn(url: string, { hasSchema, drop }: { hasSchema: boolean; drop(): Promise<void> }): Promise<TestDatabase> {
  const handles: Database[] = [];
  const open = async (options: OpenOptions) => {
    const handle = await openPatiently(url, options);
    handles.push(handle);
    return handle;
  };
  return {
    url,
    db: await open({ hasSchema }),
    open: () => open({ hasSchema: true }),
    async remove() {
      await Promise.all(handles.map((handle) => handle.close()));
      await drop();
    },
  };
}
