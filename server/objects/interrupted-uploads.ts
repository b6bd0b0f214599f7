// Cleans up uploads interrupted by a crash: files are dropped and free their slot; parts can be sent again.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { FileRecord } from '#server/db/records/file.ts';

type Stored = Pick<AppContext, 'db'>;

/**
 * Drops matching files.
 * @returns their number
 */
export async function dropCutFiles({ db }: Stored, of: Filter<FileRecord> = {}): Promise<number> {
  const files = db.collection('files');
  const sending = { state: 'sending', process: { exists: true } } as const;
  let count = 0;
  for (const { process } of await files.group({ filter: { and: [of, sending] }, by: ['process'] })) {
    const id = String(process);
    if (await hasEnded({ db }, id)) count += await dropUnsent({ db }, { and: [of, { process: id }] });
  }
  return count;
}

/**
 * Frees the bytes of an upload's interrupted parts, which can be sent again.
 * @returns whether bytes were freed
 */
export async function freeCutParts({ db }: Stored, { id }: Pick<FileRecord, 'id'>): Promise<boolean> {
  const files = db.collection('files');
  const upload = await files.get(id);
  let isFreed = false;
  for (const [process, bytes = 0] of Object.entries(upload?.part_bytes ?? {})) {
    if (!(await hasEnded({ db }, process))) continue;
    const field = `part_bytes.${process}` as const;
    const freed = await files.patch({ id, and: [{ [field]: bytes }] }, { unset: [field], increment: { sent_bytes: -bytes } });
    isFreed ||= freed !== null && bytes > 0;
  }
  return isFreed;
}

/**
 * Drops files that the provider may or may not have; files that stay are searched for there.
 * @returns number of freed slots
 */
export async function dropUnsent({ db }: Stored, which: Filter<FileRecord>): Promise<number> {
  const files = db.collection('files');
  await files.patchAll({ and: [which, { state: 'sending', stays: true }] }, { set: { state: 'leaving' }, unset: ['process'] });
  return files.remove({ and: [which, { state: 'sending', stays: { exists: false } }] });
}

/**
 * Frees the slot of a file that its provider failed to accept, so that an outage does not use up a user's limit. Files
 * that would stay are still searched for, up to a limit per user.
 */
export async function dropNotTaken({ db }: Stored, { id, user_id }: Pick<FileRecord, 'id' | 'user_id'>, most: number): Promise<void> {
  const files = db.collection('files');
  if ((await files.count({ user_id, not_taken: true }, most)) >= most) await files.remove({ id, state: 'sending' });
  else {
    await files.patch({ id, state: 'sending' }, { set: { not_taken: true } });
    await dropUnsent({ db }, { id });
  }
}

async function hasEnded({ db }: Stored, process: string): Promise<boolean> {
  return (await db.collection('processes').get(process))?.state !== 'alive';
}
