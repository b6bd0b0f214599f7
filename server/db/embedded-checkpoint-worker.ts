// Runs in a worker thread: moves the write-ahead log into the database file, so that its disk syncs never fall on a call.
// Ends when it is told anything.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const everyMilliseconds = 500;
/** Below this a checkpoint is not worth its disk syncs. */
const smallLog = 1024 * 1024;
/** Under constant load the log never runs empty by itself; beyond this it is cut, for which writers wait a moment. */
const bigLog = 32 * 1024 * 1024;

if (parentPort !== null) serve(parentPort, String(workerData));

function serve(port: NonNullable<typeof parentPort>, file: string): void {
  // Cutting the log holds the write lock while it waits for readers: better to give up soon and try again.
  const connection = new DatabaseSync(file, { timeout: 10 });
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  const timer = setInterval(() => {
    const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < smallLog) return;
    try {
      // Without blocking anybody first; the rest, which writers would wait for, is then small.
      connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      if (size > bigLog) connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
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
