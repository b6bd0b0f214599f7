// Replacement of an embedded database by a file that is filled next to it.
import { existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { openEmbedded } from '#server/db/embedded.ts';
import { readCopyState } from '#server/db/embedded-file.ts';
import { openEmbeddedTarget } from '#server/db/rows/embedded-rows.ts';
import type { Replacement } from '#server/db/rows/replacement.ts';

const logs = ['-wal', '-shm'] as const;

export function embeddedReplacement(file: string): Replacement {
  const draft = `${file}.restoring`;
  const discard = async () => {
    for (const suffix of ['', ...logs]) await rm(draft + suffix, { force: true });
  };
  return {
    isResumable: false,
    async state() {
      if (!existsSync(draft)) return null;
      let connection: DatabaseSync | undefined;
      try {
        connection = new DatabaseSync(draft, { readOnly: true, timeout: 5_000 });
        return readCopyState(connection);
      } catch {
        // It is damaged: nothing fills it.
        return null;
      } finally {
        connection?.close();
      }
    },
    async fill() {
      await discard();
      return openEmbeddedTarget(draft);
    },
    open: () => openEmbedded(draft, { synchronous: 'full' }),
    async replace(stamp) {
      closeLog(draft);
      if (!existsSync(file)) {
        await rename(draft, file);
        return null;
      }
      const replaced = `${file}.replaced-${stamp}`;
      closeLog(file);
      // There is a file at any time: a server that starts meanwhile must not create a new one.
      await link(file, replaced);
      try {
        for (const suffix of logs) if (existsSync(file + suffix)) await rename(file + suffix, replaced + suffix);
        await rename(draft, file);
      } catch (failure) {
        // The file is as it was, with its log.
        for (const suffix of logs) if (existsSync(replaced + suffix)) await rename(replaced + suffix, file + suffix);
        await rm(replaced, { force: true });
        throw failure;
      }
      return replaced;
    },
    // A file is replaced in one step.
    complete: async () => false,
    discard,
  };
}

/** Moves the write-ahead log into the file. One that cannot be opened is retained with its log. */
function closeLog(file: string): void {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { timeout: 5_000 });
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // It is damaged, which may be the reason for the restore.
  } finally {
    connection?.close();
  }
}
