// Runs in a worker thread: moves the write-ahead log into the database file, so that its disk syncs never fall on a call.
// Ends when it is told anything.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const everyMilliseconds = 500;
/** Below this a checkpoint is not worth its disk syncs. */
const smallLog = 1024 * 1024;
/** Under constant load the log never runs empty by itself; beyond this, writers wait the moment that cutting it takes. */
const bigLog = 32 * 1024 * 1024;

if (parentPort !== null) serve(parentPort, String(workerData));

function serve(port: NonNullable<typeof parentPort>, file: string): void {
  const connection = new DatabaseSync(file, { timeout: 50 });
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  let checkpointed = 0;
  const timer = setInterval(() => {
    const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < smallLog) return;
    try {
      // Without blocking anybody first; the rest, which writers would wait for, is then small.
      const result = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      const pages = Number(result?.['log']);
      if (size > bigLog && pages !== checkpointed) connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      checkpointed = pages;
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
