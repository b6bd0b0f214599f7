// Database without an open handle in the test: real server processes have it to themselves.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createContext, type RunningContext } from '#server/create-context.ts';
import { openDatabase } from '#server/db/open.ts';
import { readEnv } from '#server/env.ts';
import { dropMongoDatabase, mongoUrl } from '#tests/support/mongo-databases.ts';
import { testSecret } from '#tests/support/server-process.ts';

export interface ScratchDatabase {
  readonly url: string;
  /** Opens it for the duration of the work, as a server process without clients. */
  withContext<Result>(work: (context: RunningContext) => Promise<Result>): Promise<Result>;
  remove(): Promise<void>;
}

/** On the MongoDB server of that URL, or in a file of its own. */
export async function createScratch(mongo?: string): Promise<ScratchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-scratch-'));
  const url =
    mongo === undefined ? `file:${join(folder, 'test.db')}` : mongoUrl(mongo, `tidegate_test_${randomUUID().replaceAll('-', '')}`);
  let hasSchema = false;
  const withContext: ScratchDatabase['withContext'] = async (work) => {
    const env = readEnv({ DATABASE_URL: url, SESSION_SECRET: testSecret });
    const db = await openDatabase(url, { hasSchema });
    hasSchema = true;
    const context = await createContext({ env, db, masterKey: testSecret, log: pino({ level: 'silent' }) });
    try {
      return await work(context);
    } finally {
      await context.close();
    }
  };
  await withContext((context) => context.db.collection('facts').insert({ id: 'setup', value: { version: 'test', initialized_at: 0 } }));
  return {
    url,
    withContext,
    async remove() {
      if (mongo !== undefined) await dropMongoDatabase(url);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
