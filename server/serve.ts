// Environment → database → context → app → listen; and the way back.
import cluster from 'node:cluster';
import { type Logger, pino } from 'pino';
import { isSetUp } from '#server/accounts/setup-check.ts';
import { createApp } from '#server/app.ts';
import type { AppContext } from '#server/context.ts';
import { createContext, spoolFolder } from '#server/create-context.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { readSchemaVersion } from '#server/db/schema-version.ts';
import { type Env, EnvironmentError } from '#server/env.ts';
import { listen, type Tls } from '#server/http/listen.ts';
import { failureReason, tryFolder } from '#server/http/spool.ts';
import { jobs } from '#server/jobs/registry.ts';
import { startScheduler } from '#server/jobs/scheduler.ts';
import { startDelivery } from '#server/notify/delivery-timer.ts';
import { readTlsPair, type TlsReports } from '#server/network/tls-pair.ts';
import { lastRequestsMs } from '#server/process/shutdown-bounds.ts';
import { startImportHost } from '#server/slices/imports/runs/import-host.ts';
import { inImportProcess } from '#server/start-import-process.ts';
import { upgradeData } from '#server/transfer/upgrade-data.ts';
import { openMetricsPort } from '#server/telemetry/telemetry.ts';
import { findMasterKey, makeMasterKey } from '#server/secrets/master-key.ts';

export interface Serving {
  readonly port: number;
  readonly log: Logger;
  /** Whether the first administrator was there when it started. */
  readonly hasBeenSetUp: boolean;
  /** Lets open requests end for `SHUTDOWN_GRACE` seconds, settles what is open, and closes the database. A second call waits for the first. */
  stop(): Promise<void>;
  /**
   * The same if another process has taken over the port: calls have `RESTART_GRACE` seconds, those in the background too, and a request that
   * is already under way on an open connection is served. `stop` shortens it.
   */
  retire(): Promise<void>;
  /** Reads the certificate again if it has changed. */
  reload(): Promise<void>;
}

/** A whole server: it answers from now on, and its jobs run. It listens to no signal and ends no process. */
export async function serve(env: Env): Promise<Serving> {
  const log = pino({ level: env.LOG_LEVEL });
  const tls = await readTls(env, log);
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
  context.onClose(startImportHost(context, inImportProcess(context)).stop);
  const hasBeenSetUp = await isSetUp(context);
  const listening = await listen(app.listeners, { port: env.PORT, host: env.HOST, clientTimeout: env.CLIENT_TIMEOUT, tls });
  // Jobs that came due while no server ran, and the leftovers of a killed one, run at once.
  void scheduler.tick();
  await serveMetrics(context);
  const idle = new AbortController();
  const cut = new AbortController();
  let cutAt = Infinity;
  const abortAfter = (controller: AbortController, milliseconds: number) => {
    if (milliseconds === 0) controller.abort();
    else setTimeout(() => controller.abort(), milliseconds).unref();
  };
  const cutAfter = (seconds: number) => {
    cutAt = Math.min(cutAt, performance.now() + seconds * 1000);
    abortAfter(cut, seconds * 1000);
  };
  const end = onceOnly(async () => {
    await listening.close({ idle: idle.signal, cut: cut.signal, atEnd: app.shutDown });
    // Calls without a connection: in the background, or left by their clients. A stop has ended them.
    await context.ledger.idle(Math.max(0, cutAt - performance.now()));
    app.drain();
    await context.close();
  });
  return {
    port: listening.port,
    log: context.log,
    hasBeenSetUp,
    stop() {
      app.drain();
      idle.abort();
      cutAfter(env.SHUTDOWN_GRACE);
      return end();
    },
    retire() {
      app.retire();
      abortAfter(idle, lastRequestsMs);
      cutAfter(env.RESTART_GRACE);
      return end();
    },
    reload: listening.reloadTls,
  };
}

/** Of several workers, the primary process listens. @throws {Error} if the address cannot be used */
async function serveMetrics({ env, log, telemetry, onClose }: AppContext): Promise<void> {
  if (cluster.isWorker || telemetry === null) return;
  const server = await openMetricsPort(env, { log, scrape: telemetry.scrape });
  onClose(async () => server?.close());
}

/** @throws {EnvironmentError} if the certificate or its key is unusable */
async function readTls({ TLS_CERT: cert, TLS_KEY: key }: Env, log: Logger): Promise<Tls | undefined> {
  if (cert === undefined || key === undefined) return undefined;
  const files = { cert, key };
  const pair = await readTlsPair(files).catch((cause: unknown) => {
    throw new EnvironmentError(`The configuration is wrong: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  const reports: TlsReports = {
    loaded(validUntil) {
      if (validUntil.getTime() < Date.now()) log.error({ validUntil }, 'the certificate in TLS_CERT has expired: clients reject it');
      else log.info({ validUntil }, 'the certificate in TLS_CERT is in use');
    },
    refused: (reason) => log.error({ reason }, 'the new certificate is refused, and the former one stays in use'),
  };
  return { files, pair, reports };
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

/** The primary process has updated the schema before its first workers start; later ones may be of a newer version. The key is only made once the database is known to be usable: a start that is refused leaves none behind. */
export async function openStore(env: Env, log?: Logger): Promise<{ db: Database; masterKey: string }> {
  const known = await findMasterKey(env);
  const hasSchema = (cluster.worker?.id ?? Infinity) <= env.WORKERS;
  const db = await openDatabase(env.DATABASE_URL, { ...(log === undefined ? {} : { log }), hasSchema });
  try {
    // Before the first record of a new database, which has no older version.
    await readSchemaVersion(db);
    const masterKey = known ?? (await makeMasterKey(env, db));
    if (!hasSchema) await upgradeData({ db, env, masterKey, report: (line) => process.stdout.write(`${line}\n`) });
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
