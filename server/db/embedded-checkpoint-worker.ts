// Worker thread: checkpoints the write-ahead log, so that its disk syncs never block a call. Ends on any message.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const everyMilliseconds = 500;
/** Minimum size of a checkpoint, to be worth its disk syncs. */
const smallLog = 1024 * 1024;
/**
 * Size from which the log is restarted, for which writers wait a moment; under constant load it never runs empty by
 * itself.
 */
const bigLog = 32 * 1024 * 1024;
/**
 * A restarted log reuses its file, because commits that grow a file cost a quarter more. A file that a long read made
 * larger than this is truncated.
 */
const largestFile = 96 * 1024 * 1024;
/** Header of each page in the log. */
const frameHeader = 24;

if (parentPort !== null) serve(parentPort, String(workerData));

function serve(port: NonNullable<typeof parentPort>, file: string): void {
  // Restarting holds the write lock while it waits for readers, so it times out early and is retried.
  const connection = new DatabaseSync(file, { timeout: 10 });
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  const frameBytes = Number(connection.prepare('PRAGMA page_size').get()?.['page_size']) + frameHeader;

  /** Bytes of the log, and of its part that is not in the database file yet. */
  function checkpoint(mode: 'NOOP' | 'PASSIVE' | 'RESTART' | 'TRUNCATE'): { length: number; left: number } {
    const row = connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const length = Number(row?.['log']) * frameBytes;
    return { length, left: length - Number(row?.['checkpointed']) * frameBytes };
  }

  const timer = setInterval(() => {
    const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < smallLog) return;
    try {
      // Versions of SQLite without this mode use the next one.
      const { length, left } = checkpoint('NOOP');
      const isLong = left > 0 && length > bigLog;
      if (left < smallLog && !isLong && size <= largestFile) return;
      // First without blocking; the rest, which blocks writers, is then small.
      const moved = checkpoint('PASSIVE');
      if (size > largestFile) checkpoint('TRUNCATE');
      else if (moved.length > bigLog) checkpoint('RESTART');
    } catch {
      // Busy, or the disk is full: writers report it themselves, and the next round tries again.
    }
  }, everyMilliseconds);
  port.once('message', () => {
    clearInterval(timer);
    connection.close();
    port.close();
  });
}
