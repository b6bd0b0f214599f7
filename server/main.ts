// A process, or several, that serves until it gets a stop signal.
import '#server/process/heap-tuning.ts';
import cluster from 'node:cluster';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { DatabaseUrlError } from '#server/db/database-url.ts';
import { DatabaseFileError } from '#server/db/embedded-file.ts';
import { NewerSchemaError } from '#server/db/schema-version.ts';
import { type Env, EnvironmentError, readEnv } from '#server/env.ts';
import { keepServing } from '#server/process/last-resort.ts';
import { settleSeconds } from '#server/process/shutdown-bounds.ts';
import { TransferRefusal } from '#server/transfer/refusal.ts';
import { openStore, serve, type Serving } from '#server/serve.ts';

/** Milliseconds after which an ended worker is restarted, so that one that cannot start does not burn the machine. */
const restartMs = 1000;

try {
  const env = readEnv();
  if (env.WORKERS > 1 && cluster.isPrimary) await runWorkers(env);
  else await serveOnSignals(env);
} catch (failure) {
  console.error(startFailure(failure));
  process.exit(1);
}

async function serveOnSignals(env: Env): Promise<void> {
  const serving = await serve(env);
  keepServing(serving.log);
  endOnSignal(async () => {
    // Without its database a server cannot settle; what was not settled was not answered and costs nothing.
    const late = setTimeout(
      () => {
        console.error('Tidegate ends without having settled everything: the database does not answer.');
        process.exit(1);
      },
      (env.SHUTDOWN_GRACE + settleSeconds) * 1000,
    );
    await serving.stop();
    clearTimeout(late);
    process.exit(0);
  });
  // Who reads this may end it: by now that is done in order.
  if (cluster.isPrimary || cluster.worker?.id === 1) console.log(greeting(env, serving));
}

/** The primary process serves nothing: it restarts the workers and passes the stop signal on. */
async function runWorkers(env: Env): Promise<void> {
  // Workers accept connections themselves. One that was accepted here and is on its way to a worker when that is killed would
  // stay open, and its client would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Made here, and the schema brought up to date: the workers take it as it is.
  const { db } = await openStore(env);
  await db.close();
  let isEnding = false;
  let hasServed = false;
  /** Exit code of the workers after a stop signal: the primary process ends with it. */
  let endCode = 0;
  cluster.on('listening', () => {
    hasServed = true;
  });
  cluster.on('exit', (_worker, code, signal: NodeJS.Signals | null) => {
    if (isEnding) {
      // A worker that is still starting just ends.
      endCode = Math.max(endCode, signal === 'SIGTERM' ? 0 : signal === null ? code : 1);
      if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(endCode);
      return;
    }
    // None ever came up: what is wrong will not go away by trying again, and the worker has said what it is.
    if (!hasServed) process.exit(code === 0 ? 1 : code);
    setTimeout(() => !isEnding && cluster.fork(), restartMs);
  });
  for (let index = 0; index < env.WORKERS; index += 1) cluster.fork();
  endOnSignal(async () => {
    isEnding = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
  });
}

function endOnSignal(end: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      end().catch((failure: unknown) => {
        console.error(failure);
        process.exit(1);
      });
    });
  }
}

function greeting(env: Env, { port, hasBeenSetUp }: Pick<Serving, 'port' | 'hasBeenSetUp'>): string {
  const host = ['0.0.0.0', '::', ''].includes(env.HOST) ? 'localhost' : env.HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
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
