// Has the import done that waits for a process. Every server process looks; the record is claimed by one of them, which has the file.
import type { AppContext } from '#server/context.ts';
import { isAliveAt } from '#server/clock/signs-of-life.ts';
import type { ImportRunRecord } from '#server/db/records/import.ts';
import { isFileHere, removeFile, sweepFolder } from './import-folder.ts';
import { aliveMs, endOfRun } from './run-records.ts';
import type { WorkOrder } from './work-import.ts';

/** Runs an order to its end in some process. */
export type RunOrder = (order: WorkOrder & { signal: AbortSignal }) => Promise<void>;

export interface ImportHost {
  /** Looks for an import to work on; resolves when it is begun. */
  tick(): Promise<void>;
  /** The import that runs here ends after its page, and continues in another process. */
  stop(): Promise<void>;
}

const lookMs = 2_000;
const sweepMs = 3_600_000;
/** Processes in a row that ended without having been stopped, after which an import has failed: what ends one would end the next. */
const mostCrashes = 3;
/** Time in which some process must have the file. */
const lostMs = 600_000;

export function startImportHost(context: AppContext, run: RunOrder): ImportHost {
  const stop = new AbortController();
  let current: Promise<void> | null = null;
  let sweptAt = 0;

  async function tick(): Promise<void> {
    if (current !== null || stop.signal.aborted) return;
    if (performance.now() - sweptAt > sweepMs || sweptAt === 0) {
      sweptAt = performance.now();
      await sweepFolder(context);
    }
    const order = await claimImport(context);
    if (order === null) return;
    current = run({ ...order, signal: stop.signal })
      .catch((failure: unknown) => context.log.error({ reason: String(failure) }, 'the process of an import failed'))
      .then(() => releaseImport(context, order))
      .catch((failure: unknown) => context.log.warn({ reason: String(failure) }, 'an import could not be released'))
      .finally(() => {
        current = null;
      });
  }

  const timer = setInterval(() => {
    tick().catch((failure: unknown) => context.log.warn({ reason: String(failure) }, 'imports could not be looked for'));
  }, lookMs);
  timer.unref();
  return {
    tick,
    async stop() {
      clearInterval(timer);
      stop.abort();
      await current;
    },
  };
}

/** Claims the import that waits; null if there is none, or its file is elsewhere. */
export async function claimImport(context: AppContext): Promise<WorkOrder | null> {
  const { db, now, randomText } = context;
  const imports = db.collection('imports');
  const run = await imports.first({ running: 1 });
  if (run === null || isAliveAt(now(), run, aliveMs)) return null;
  const { id, alive_until, state, file, crashes, updated_at } = { ...run, updated_at: Math.max(run.started_at, run.alive_until) };
  if (state !== 'planning' && state !== 'running') {
    await imports.patch({ id, alive_until }, { unset: ['running'] });
    return null;
  }
  if (run.source_kind === 'command') {
    await endCommand(context, run);
    return null;
  }
  const isHere = file === '' || (await isFileHere(context, file));
  if (!isHere && now() - updated_at < lostMs) return null;
  if (!isHere || crashes >= mostCrashes) {
    const error = { code: isHere ? 'crashed' : 'file_lost', text: '' };
    const failed = await imports.patch(
      { id, alive_until, state },
      { set: { ...endOfRun(state), ended_at: now(), error }, unset: ['running'] },
    );
    if (failed?.state === 'failed') await removeFile(context, file);
    return null;
  }
  const worker = randomText(16);
  const claimed = await imports.patch(
    { id, running: 1, alive_until, state },
    { set: { worker, alive_until: now() + aliveMs, crashes: crashes + 1 } },
  );
  return claimed === null ? null : { id, worker };
}

/** A command that has ended is repeated by its operator, who alone knows its source. */
export async function endCommand({ db, now }: Pick<AppContext, 'db' | 'now'>, { id, alive_until }: ImportRunRecord): Promise<void> {
  const set = { state: 'failed', ended_at: now(), error: { code: 'stopped', text: '' } } as const;
  await db.collection('imports').patch({ id, alive_until, running: 1 }, { set, unset: ['running'] });
}

/** After a process that has ended without doing so. */
export async function releaseImport({ db }: Pick<AppContext, 'db'>, { id, worker }: WorkOrder): Promise<void> {
  await db.collection('imports').patch({ id, worker }, { set: { alive_until: 0, worker: '' } });
}
