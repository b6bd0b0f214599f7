// Files that their provider was not told to let go, because vector stores may hold them for as long as those are there: decision 82. Each goes by our
// word alone, so nothing of one is forgotten here before it is known to be gone there.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { onField } from '#server/db/collection.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { longestRetention } from './file-store.ts';
import { findByName } from './find-by-name.ts';
import { deleteAtProvider, deleteThere, isOverdue } from './upstream-files.ts';
import type { Requesting } from './upstream-files.ts';

/** What is put into stores: https://platform.openai.com/docs/guides/tools-file-search, https://platform.openai.com/docs/api-reference/files/create */
const storedPurposes: ReadonlySet<string> = new Set(['assistants', 'user_data']);
/** Seconds after which one whose upload was not answered is there, or never will be. */
const longestUnanswered = 3600;
/** Files of a page of the vendor's list, and of one look at those that are held. */
const pageSize = { list: 1000, held: 200 };
const daySeconds = 86_400;

/** @param seconds until it is to go, as its caller said; undefined: nothing was */
export function staysAt(
  { settings }: Pick<AppContext, 'settings'>,
  { provider }: Pick<PreparedChannel, 'provider'>,
  { purpose, seconds }: { purpose: string; seconds: number | undefined },
): boolean {
  return (
    storedPurposes.has(purpose) && seconds === undefined && provider?.storesVectorStores === true && settings.get('VectorStoresPerUser') > 0
  );
}

/** As `deleteAtProvider`. */
export async function releaseUpstream(context: Requesting, record: FileRecord): Promise<'gone' | 'left' | 'silent'> {
  if (record.stays !== true) return deleteAtProvider(context, record);
  const { id, channel_id: at, upstream_id: name, purpose, created_at: since } = record;
  // By whatever key the channel has now: it may be another one of the same account, and elsewhere there is no such file.
  const channel = context.channels.get(at);
  if (channel === undefined) return 'gone';
  if (channel.problem !== null) return 'left';
  if (name !== '') return deleteThere(context, channel, `/files/${encodeURIComponent(name)}`);
  const list = `/files?purpose=${encodeURIComponent(purpose)}`;
  const found = await findByName(context, channel, { list, limit: pageSize.list, member: 'filename', name: id, since });
  // A list that was refused says nothing of other files: only one that did not come in time is not asked for again.
  if (found === undefined) return isOverdue(context) ? 'silent' : 'left';
  if (found !== null) return deleteThere(context, channel, `/files/${encodeURIComponent(found)}`);
  return context.now() / 1000 > since + longestUnanswered ? 'gone' : 'left';
}

type Stored = Pick<AppContext, 'db'>;

/** It is there, by the provider's name of it. @throws {AppError} `file_not_found`: it took so long that it was given up */
export async function retainSent(context: AppContext, sent: FileRecord, name: string): Promise<FileRecord> {
  const stored = await context.db
    .collection('files')
    .patch(
      { id: sent.id, state: 'sending' },
      { set: { state: 'stored', upstream_id: name }, unset: ['process', 'upload_id', 'sent_bytes', 'upload_until', 'part_bytes'] },
    );
  if (stored !== null) return stored;
  if (sent.stays === true) await releaseUpstream(context, { ...sent, upstream_id: name });
  throw new AppError('file_not_found', { id: sent.id });
}

/** Before they are put into a store. */
export async function holdFiles({ db, now }: Stored & Pick<AppContext, 'now'>, store: string, files: readonly FileRecord[]): Promise<void> {
  const ids = files.filter(({ stays }) => stays === true).map(({ id }) => id);
  if (ids.length === 0) return;
  await db.collection('files').patchAll({ id: { in: ids } }, { set: { [`held_by.${store}`]: Math.floor(now() / 1000) } });
}

/** What a store holds no more. @param ids all of its user's where nothing is said */
export async function releaseFiles({ db }: Stored, store: { id: string; user_id: number }, ids?: readonly string[]): Promise<void> {
  const field = `held_by.${store.id}` as const;
  const held = onField<FileRecord, typeof field>(field, { exists: true });
  const which: Filter<FileRecord> = ids === undefined ? { user_id: store.user_id } : { id: { in: ids }, user_id: store.user_id };
  await db.collection('files').patchAll({ and: [which, held] }, { unset: [field] });
}

/** Those that are in stores are kept on: their time begins anew a day before it is over. */
export async function retainHeld(context: Stored & Pick<AppContext, 'now' | 'settings'>): Promise<void> {
  const { db } = context;
  const [files, stores] = [db.collection('files'), db.collection('vector_stores')];
  const now = Math.floor(context.now() / 1000);
  const due = { state: 'stored' as const, expires_at: { lte: now + daySeconds }, held_by: { exists: true } };
  for (let after = ''; ;) {
    const some: FileRecord[] = await files.find({ ...due, id: { gt: after } }, { sort: [['id', 1]], limit: pageSize.held });
    const names = [...new Set(some.flatMap(({ held_by: held = {} }) => Object.keys(held)))];
    const there = names.length === 0 ? [] : await stores.find({ id: { in: names }, state: { in: ['creating', 'stored'] } });
    const living = new Set(there.map(({ id }) => id));
    const retained = some.filter(({ held_by: held = {} }) => Object.keys(held).some((id) => living.has(id))).map(({ id }) => id);
    if (retained.length > 0)
      await files.patchAll(
        { id: { in: retained }, state: 'stored' },
        { set: { expires_at: now + Math.max(2 * daySeconds, longestRetention(context)) } },
      );
    const last = some.at(-1);
    if (last === undefined || some.length < pageSize.held) return;
    after = last.id;
  }
}
