// Process of an import, started by `slices/imports/runs/import-host.ts` with the id of its record and the mark of the claim.
import { setPriority } from 'node:os';
import { pino } from 'pino';
import { createContext } from '#server/create-context.ts';
import { readEnv } from '#server/env.ts';
import { openStore } from '#server/serve.ts';
import { workImport } from '#server/slices/imports/runs/work-import.ts';

/** Resident memory in bytes at which the process ends: drivers hold what a server sends outside of the heap, whose limit does not count it. */
const mostMemory = 3_000_000_000;
const watchMs = 250;

/** Calls come first. */
const niceness = 10;

const [id, worker] = process.argv.slice(2);
if (process.send !== undefined && id !== undefined && worker !== undefined) await main(Number(id), worker);

async function main(run: number, mark: string): Promise<void> {
  setPriority(niceness);
  setInterval(() => {
    if (process.memoryUsage.rss() > mostMemory) process.kill(process.pid, 'SIGKILL');
  }, watchMs).unref();
  const stop = new AbortController();
  process.once('message', () => stop.abort());
  // Without its server: another one continues.
  process.once('disconnect', () => stop.abort());
  // The server decides: a Ctrl-C reaches both.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => stop.abort());
  const env = readEnv();
  const { db, masterKey } = await openStore(env);
  const context = await createContext({ env, db, masterKey, log: pino({ level: env.LOG_LEVEL }) });
  try {
    await workImport(context, { id: run, worker: mark, signal: stop.signal });
  } finally {
    await context.close();
  }
  process.disconnect?.();
}
