// Deletes files that have expired, whose owner has deleted them or is deleted, and whose upload was interrupted.
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { dropCutFiles, dropUnsent } from '#server/objects/interrupted-uploads.ts';
import { retainHeld, releaseUpstream } from '#server/objects/retained-files.ts';

const atOnce = 100;
/** Seconds, longer than any upload takes. */
const longestSending = 24 * 3600;
/** Seconds after the end of an upload, for a completion in flight. */
const graceOfUploads = 3600;
/** Seconds after the file has expired at the provider, too; and for files that never expire there. */
const givenUpAfter = { expired: 7 * 24 * 3600, stays: 90 * 24 * 3600 };

export interface SweepBounds {
  /** Approximate end of a run; the next run continues. */
  runMs: number;
  /** Maximum time for a provider's response. */
  questionMs: number;
}

/** Job. Skips a provider after a timeout, because other jobs of the process must run. */
export async function sweepFiles(context: AppContext, { runMs, questionMs }: SweepBounds = sweepBounds): Promise<void> {
  const files = context.db.collection('files');
  const now = Math.floor(context.now() / 1000);
  const begin = performance.now();
  // Files held by stores are extended first.
  await retainHeld(context);
  await files.patchAll({ state: 'stored', expires_at: { lte: now } }, { set: { state: 'leaving' } });
  await dropCutFiles(context);
  await dropUnsent(context, { created_at: { lt: now - longestSending } });
  await dropUnsent(context, { upload_until: { lt: now - graceOfUploads } });
  await leaveDeleted(context);
  const silent = new Set<number>();
  const isGone = async (record: FileRecord): Promise<boolean> => {
    if (record.expires_at < now - (record.stays === true ? givenUpAfter.stays : givenUpAfter.expired)) return true;
    if (silent.has(record.channel_id)) return false;
    const outcome = await releaseUpstream({ ...context, answerBy: performance.now() + questionMs }, record);
    if (outcome === 'silent') silent.add(record.channel_id);
    return outcome === 'gone';
  };
  for (let after = ''; performance.now() - begin < runMs;) {
    const some: FileRecord[] = await files.find({ state: 'leaving', id: { gt: after } }, { sort: [['id', 1]], limit: atOnce });
    for (const record of some) {
      if (performance.now() - begin > runMs) return;
      if (await isGone(record)) await files.remove({ id: record.id });
    }
    const last = some.at(-1);
    if (last === undefined || some.length < atOnce) return;
    after = last.id;
  }
}

const sweepBounds: SweepBounds = { runMs: 60_000, questionMs: 15_000 };

/** Deletes the files of deleted users. */
async function leaveDeleted({ db }: AppContext): Promise<void> {
  const files = db.collection('files');
  for (const { user_id: id } of await files.group({ filter: { state: 'stored' }, by: ['user_id'] })) {
    const user = await db.collection('users').get(Number(id));
    if (user === null || user.DeletedAt !== null)
      await files.patchAll({ user_id: Number(id), state: 'stored' }, { set: { state: 'leaving' } });
  }
}
