// Records the size that a provider reports for a store, by which it is billed.
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { changeStore } from './store-records.ts';
import { channelOf, type Requesting } from '#server/objects/upstream-files.ts';
import { type ReportedStore, requestStore, storePath } from './upstream-stores.ts';

/** Plausible bytes of a store per byte of its files, plus a constant: texts are compressed, and chunks overlap. */
const mostOfFiles = 64;
const mostConcurrent = 1024 * 1024;
/** Seconds in which recent changes may not be reported yet. */
const settling = 600;

/** Returns the updated record; null if the store has ended. */
export async function noteReported(context: AppContext, id: string, reported: ReportedStore): Promise<VectorStoreRecord | null> {
  const now = Math.floor(context.now() / 1000);
  return changeStore(context, id, (store) => {
    if (store.state !== 'stored') return null;
    const most = store.file_bytes * mostOfFiles + mostConcurrent;
    if (reported.bytes === null || reported.bytes > most)
      context.log.error({ store: id, bytes: reported.bytes, most }, 'a provider tells a size of a vector store that cannot be true');
    const bytes = reported.bytes === null ? store.usage_bytes : Math.min(reported.bytes, most);
    const isSettled = reported.files_in_progress === 0 && store.claimed_at + settling < now;
    const { status, files_in_progress, files_completed, files_failed, files_cancelled, last_active_at } = reported;
    return {
      status,
      files_in_progress,
      files_completed,
      files_failed,
      files_cancelled,
      // The time never decreases, and is never in the future.
      last_active_at: Math.min(now, Math.max(store.last_active_at, last_active_at)),
      usage_bytes: bytes,
      day_bytes: Math.max(store.day_bytes, bytes),
      claimed_bytes: isSettled ? bytes : Math.max(store.claimed_bytes, bytes),
      seen_at: now,
    };
  });
}

/** Records the size before a removal: the day is billed by its largest size, which may not be known yet. */
export async function noteLargest(context: AppContext & Requesting, store: VectorStoreRecord): Promise<void> {
  const channel = channelOf(context, store);
  if (channel === null || store.upstream_id === '') return;
  const answer = await requestStore(context, channel, { method: 'GET', path: storePath(store) });
  // If the provider does not respond, the last known size counts.
  if (!('failure' in answer) && !answer.reported.hasExpired) await noteReported(context, store.id, answer.reported);
}

/** Same for every store with a file that is about to be deleted: the provider removes it from them. */
export async function noteHolders(context: AppContext & Requesting, { user_id: userId, held_by: held = {} }: FileRecord): Promise<void> {
  const names = Object.keys(held);
  const filter = { id: { in: names }, user_id: userId, state: 'stored' as const };
  const stores = names.length === 0 ? [] : await context.db.collection('vector_stores').find(filter);
  await Promise.all(stores.map((store) => noteLargest(context, store)));
}
