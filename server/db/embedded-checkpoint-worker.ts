// Runs in a worker thread: moves the write-ahead log into the database file, so that its disk syncs never fall on a call.
// Ends when it is told anything.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const everyMilliseconds = 500;
/** Below this a checkpoint is not worth its disk syncs. */
const smallLog = 1024 * 1024;
/** Under constant load the log never runs empty by itself; beyond this it begins anew, for which writers wait a moment. */
const bigLog = 32 * 1024 * 1024;
/**
 * A log that begins anew is written over the former one: its file keeps its size, because a commit into a file that grows
 * costs a quarter more. One that a long read let grow beyond this is cut.
 */
const largestFile = 96 * 1024 * 1024;
/** What stands before each page in the log. */
const frameHeader = 24;

if (parentPort !== null) serve(parentPort, String(workerData));

function serve(port: NonNullable<typeof parentPort>, file: string): void {
  // Beginning anew holds the write lock while it waits for readers: better to give up soon and try again.
  const connection = new DatabaseSync(file, { timeout: 10 });
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  const frameBytes = Number(connection.prepare('PRAGMA page_size').get()?.['page_size']) + frameHeader;

  /** Bytes of the log, and how many of them are not in the database file yet. */
  function checkpoint(mode: 'NOOP' | 'PASSIVE' | 'RESTART' | 'TRUNCATE'): { length: number; left: number } {
    const row = connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const length = Number(row?.['log']) * frameBytes;
    return { length, left: length - Number(row?.['checkpointed']) * frameBytes };
  }

  const timer = setInterval(() => {
    const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < smallLog) return;
    try {
      // Versions of SQLite that do not know this mode take it for the next one.
      const { length, left } = checkpoint('NOOP');
      const isLong = left > 0 && length > bigLog;
      if (left < smallLog && !isLong && size <= largestFile) return;
      // Without blocking anybody first; the rest, which writers would wait for, is then small.
      const moved = checkpoint('PASSIVE');
      if (size > largestFile) checkpoint('TRUNCATE');
      else if (moved.length > bigLog) checkpoint('RESTART');
    } catch {
      // Busy, or the disk is full: writers find out themselves; the next round tries again.
    }
  }, everyMilliseconds);
  port.once('message', () => {
    clearInterval(timer);
    connection.close();
    port.close();
  });
}
