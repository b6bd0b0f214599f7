// Environment → database → context → app → listen; and the way back.
import cluster from 'node:cluster';
import { type Logger, pino } from 'pino';
import { isSetUp } from '#server/accounts/setup-check.ts';
import { createApp } from '#server/app.ts';
import { createContext, spoolFolder } from '#server/create-context.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { readSchemaVersion } from '#server/db/schema-version.ts';
import { type Env, EnvironmentError } from '#server/env.ts';
import { listen } from '#server/http/listen.ts';
import { failureReason, tryFolder } from '#server/http/spool.ts';
import { jobs } from '#server/jobs/registry.ts';
import { startScheduler } from '#server/jobs/scheduler.ts';
import { startDelivery } from '#server/notify/delivery-timer.ts';
import { upgradeData } from '#server/transfer/upgrade-data.ts';
import { findMasterKey, makeMasterKey } from '#server/secrets/master-key.ts';

export interface Serving {
  readonly port: number;
  readonly log: Logger;
  /** Whether the first administrator was there when it started. */
  readonly hasBeenSetUp: boolean;
  /** Lets open requests end for `SHUTDOWN_GRACE` seconds, settles what is open, and closes the database. A second call waits for the first. */
  stop(): Promise<void>;
}

/** A whole server: it answers from now on, and its jobs run. It listens to no signal and ends no process. */
export async function serve(env: Env): Promise<Serving> {
  const log = pino({ level: env.LOG_LEVEL });
  const { db, masterKey } = await openStore(env, log);
  await checkSpool(env, log).catch(async (failure: unknown) => {
    await db.close();
    throw failure;
  });
  const context = await createContext({ env, db, masterKey, log });
  const app = createApp(context);
  const scheduler = startScheduler(context, jobs);
  context.onClose(scheduler.stop);
  context.onClose(startDelivery(context).stop);
  const hasBeenSetUp = await isSetUp(context);
  const listening = await listen(app.listeners, { port: env.PORT, host: env.HOST, clientTimeout: env.CLIENT_TIMEOUT });
  // Jobs that came due while no server ran, and the leftovers of a killed one, run at once.
  void scheduler.tick();
  const stop = onceOnly(async () => {
    app.drain();
    await listening.close(env.SHUTDOWN_GRACE, app.shutDown);
    await context.close();
  });
  return { port: listening.port, log: context.log, hasBeenSetUp, stop };
}

/** Forms with large files need the folder, nothing else does: one that was named must be usable, the default one is warned of. @throws {EnvironmentError} */
async function checkSpool(env: Env, log: Logger): Promise<void> {
  const folder = spoolFolder(env);
  try {
    await tryFolder(folder);
  } catch (cause) {
    const text = `SPOOL_DIR: nothing can be stored in ${folder} (${failureReason(cause).en}: ${String(cause)}); forms with large files are refused`;
    if (env.SPOOL_DIR !== undefined) throw new EnvironmentError(`The configuration is wrong: ${text}`, { cause });
    log.warn(text);
  }
}

/** The primary process has updated the schema before its workers start. The key is only made once the database is known to be usable: a start that is refused leaves none behind. */
export async function openStore(env: Env, log?: Logger): Promise<{ db: Database; masterKey: string }> {
  const known = await findMasterKey(env);
  const db = await openDatabase(env.DATABASE_URL, { ...(log === undefined ? {} : { log }), hasSchema: cluster.isWorker });
  try {
    // Before the first record of a new database, which has no older version.
    await readSchemaVersion(db);
    const masterKey = known ?? (await makeMasterKey(env, db));
    if (!cluster.isWorker) await upgradeData({ db, env, masterKey, report: (line) => process.stdout.write(`${line}\n`) });
    return { db, masterKey };
  } catch (failure) {
    await db.close();
    throw failure;
  }
}

/** Ctrl-C reaches a whole process group, so a signal may come twice. */
function onceOnly(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= work());
}
