// Moves all records from one database into another, empty one, verifies every row, and audits the books of the result.
import { createHash } from 'node:crypto';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import { openSource, openTarget } from '#server/db/rows/open-rows.ts';
import type { CopyState, RowSource, RowTarget } from '#server/db/rows/rows.ts';
import { thisHost } from '#server/money/recovery/server-process.ts';
import { auditBooks } from '#server/transfer/audit-books.ts';
import type { AuditReport } from '#server/money/audit.ts';
import { compareRows, type Comparison } from '#server/transfer/compare-rows.ts';
import { copyRows } from '#server/transfer/copy-rows.ts';
import type { OnProgress } from '#server/transfer/progress.ts';
import { canonical } from '#server/transfer/row-digest.ts';
import { TransferRefusal } from '#server/transfer/refusal.ts';
import { isWriting, refuseRunningServers } from '#server/transfer/running-servers.ts';

export interface MoveOptions {
  /** Both as DATABASE_URL. */
  from: string;
  to: string;
  /** Drops the rows of an interrupted move instead of resuming it. */
  isRestarted?: boolean;
  now?: () => number;
  onProgress?: OnProgress;
  /** Stops the copy after a page; it can be resumed. */
  signal?: AbortSignal;
}

export interface MoveResult {
  comparison: Comparison;
  /** Undefined if the rows differ. */
  audit?: AuditReport;
}

/**
 * The target is released, so that a server can open it, only if all rows are equal.
 * @throws {TransferRefusal}
 */
export async function moveDatabase(options: MoveOptions): Promise<MoveResult> {
  const { from, to, onProgress = () => {} } = options;
  refuseSame(from, to);
  await refuseRunningServers(from, 'source');
  const source = await openSource(from, { wantsSnapshot: false });
  let comparison: Comparison;
  try {
    const target = await openTarget(to);
    try {
      await fill(source, target, options);
      comparison = await compareRows({ source, target: target.reader(), onProgress });
      if (comparison.count > 0) return { comparison };
      // A server that was started meanwhile may have written rows after they were compared.
      await refuseRunningServers(from, 'source');
      await target.release();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  return { comparison, audit: await auditBooks(to) };
}

async function fill(
  source: RowSource,
  target: RowTarget,
  { isRestarted = false, now = Date.now, onProgress = () => {}, signal }: MoveOptions,
): Promise<void> {
  const print = await printOf(source);
  const state = await begin(target, { print, isRestarted, now });
  await copyRows({ source, target, state, now, onProgress, ...(signal === undefined ? {} : { signal }) });
  await target.finish(await source.counters(), (done, all) => onProgress({ step: 'Building indexes', done, all }));
}

async function begin(
  target: RowTarget,
  { print, isRestarted, now }: { print: string; isRestarted: boolean; now: () => number },
): Promise<CopyState> {
  const writer = { host: thisHost, pid: process.pid };
  const before = await target.state();
  if (before !== null) {
    if (before.kind !== 'move') throw new TransferRefusal('A restore into the target has not ended: run it again first');
    if (isWriting(before, now())) throw new TransferRefusal(`Another move into the target is running (process ${before.writer.pid})`);
    if (!isRestarted) {
      if (before.source === print) return { ...before, writer };
      throw new TransferRefusal(
        'The target has rows of an interrupted move from another source, or the source was changed since; --restart drops them and begins again',
      );
    }
    await target.clear();
  }
  const found = await target.occupied();
  if (found !== null) throw new TransferRefusal(`The target has data (${found.count} in ${found.name}): a move needs an empty database`);
  const state: CopyState = { kind: 'move', source: print, writer, written_at: now(), done: [] };
  await target.saveState(state);
  return state;
}

/** Fingerprint of a source: changes whenever a server has drawn ids, written settings or been started. */
async function printOf(source: RowSource): Promise<string> {
  const hash = createHash('sha256').update(
    JSON.stringify([...(await source.counters())].map(([name, value]) => `${name} ${value}`).toSorted()),
  );
  for (const name of ['facts', 'processes', 'jobs'] as const)
    for await (const page of source.pages(name)) for (const { doc } of page) hash.update(canonical(doc));
  return hash.digest('hex');
}

function refuseSame(from: string, to: string): void {
  const [one, other] = [parseDatabaseUrl(from), parseDatabaseUrl(to)];
  const isSame = one.kind === 'embedded' ? other.kind === 'embedded' && one.file === other.file : from === to;
  if (isSame) throw new TransferRefusal('Source and target are the same database');
}
