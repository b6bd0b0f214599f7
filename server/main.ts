// A process, or several, that serves until it gets a stop signal.
import '#server/process/heap-tuning.ts';
import cluster from 'node:cluster';
import { pino } from 'pino';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { DatabaseUrlError } from '#server/db/database-url.ts';
import { DatabaseFileError } from '#server/db/embedded-file.ts';
import { NewerSchemaError } from '#server/db/schema-version.ts';
import { type Env, EnvironmentError, readEnv } from '#server/env.ts';
import { keepServing } from '#server/process/last-resort.ts';
import { settleSeconds } from '#server/process/shutdown-bounds.ts';
import { watchTerminal } from '#server/process/terminal.ts';
import { retireMessage, runWorkers } from '#server/process/workers.ts';
import { TransferRefusal } from '#server/transfer/refusal.ts';
import { openStore, serve, type Serving } from '#server/serve.ts';
import { servePrimaryMetrics } from '#server/telemetry/telemetry.ts';

const isTerminalGone = watchTerminal();
process.on('SIGHUP', hangUpAtStart);

try {
  const env = readEnv();
  if (env.WORKERS > 1 && cluster.isPrimary) await superviseWorkers(env);
  else await serveOnSignals(env);
} catch (failure) {
  console.error(startFailure(failure));
  process.exit(1);
}

async function serveOnSignals(env: Env): Promise<void> {
  const serving = await serve(env);
  keepServing(serving.log);
  const end = (ending: () => Promise<void>, graceSeconds: number) => async () => {
    // Without its database a server cannot settle; what was not settled was not answered and costs nothing.
    const late = setTimeout(
      () => {
        console.error('Tidegate ends without having settled everything: the database does not answer.');
        process.exit(1);
      },
      (graceSeconds + settleSeconds) * 1000,
    );
    await ending();
    clearTimeout(late);
    process.exit(0);
  };
  const stop = end(serving.stop, env.SHUTDOWN_GRACE);
  onSignals(['SIGTERM', 'SIGINT'], stop);
  process.off('SIGHUP', hangUpAtStart);
  onSignals(['SIGHUP'], async () => {
    // The primary process ends or replaces its workers.
    if (cluster.isPrimary && isTerminalGone()) return stop();
    if (cluster.isPrimary) serving.log.info('SIGHUP: the certificate is read again; only with two WORKERS or more are processes restarted');
    await serving.reload();
  });
  const retire = end(serving.retire, env.RESTART_GRACE);
  process.on('message', (message) => {
    if (message === retireMessage) void orFail(retire);
  });
  // Who reads this may end it: by now that is done in order.
  if (cluster.isPrimary || cluster.worker?.id === 1) console.log(greeting(env, serving));
}

async function superviseWorkers(env: Env): Promise<void> {
  // Made here, and the schema brought up to date: the first workers take it as it is.
  const { db } = await openStore(env);
  await db.close();
  const log = pino({ level: env.LOG_LEVEL });
  await servePrimaryMetrics(env, log);
  const workers = runWorkers({ count: env.WORKERS, log });
  onSignals(['SIGTERM', 'SIGINT'], () => workers.end());
  process.off('SIGHUP', hangUpAtStart);
  onSignals(['SIGHUP'], () => (isTerminalGone() ? workers.end() : workers.restart()));
}

/** A reload has nothing to do while the server starts, and must not end it. */
function hangUpAtStart(): void {
  if (isTerminalGone()) process.exit(1);
}

function onSignals(signals: readonly NodeJS.Signals[], act: () => Promise<void> | void): void {
  for (const signal of signals) process.on(signal, () => void orFail(act));
}

async function orFail(act: () => Promise<void> | void): Promise<void> {
  try {
    await act();
  } catch (failure) {
    console.error(failure);
    process.exit(1);
  }
}

function greeting(env: Env, { port, hasBeenSetUp }: Pick<Serving, 'port' | 'hasBeenSetUp'>): string {
  const host = ['0.0.0.0', '::', ''].includes(env.HOST) ? 'localhost' : env.HOST;
  const url = `${env.TLS_CERT === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  return hasBeenSetUp ? `Tidegate is at ${url}` : `Tidegate is at ${url} - open it to set it up`;
}

/** Reports a failure that an administrator can fix in one line; a bug with its stack. */
function startFailure(failure: unknown): string {
  const isExpected =
    failure instanceof EnvironmentError ||
    failure instanceof DatabaseUrlError ||
    failure instanceof DatabaseFileError ||
    failure instanceof DatabaseUnavailable ||
    failure instanceof NewerSchemaError ||
    failure instanceof TransferRefusal ||
    (failure instanceof Error && 'code' in failure && typeof failure.code === 'string');
  if (!isExpected) return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  return `Tidegate cannot start. ${failure.message.replaceAll(/\s*\n\s*/g, ' ')}`;
}
