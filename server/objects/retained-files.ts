// Files uploaded without `expires_after` because a vector store may reference them (decision 82). The provider deletes
// them only on request, so a record is dropped only once its file is known to be gone.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { type Filter, onField } from '#server/db/collection.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { longestRetention } from './file-store.ts';
import { findByName } from './find-by-name.ts';
import { deleteAtProvider, deleteThere, isOverdue, type Requesting } from './upstream-files.ts';

/**
 * Purposes of files in vector stores: https://platform.openai.com/docs/guides/tools-file-search,
 * https://platform.openai.com/docs/api-reference/files/create
 */
const storedPurposes: ReadonlySet<string> = new Set(['assistants', 'user_data']);
/** Seconds after which an upload without a response has either created its file or never will. */
const longestUnanswered = 3600;
/** Files per page of the vendor's list, and per query of held files. */
const pageSize = { list: 1000, held: 200 };
const daySeconds = 86_400;

/** @param seconds lifetime that the caller requested; undefined if not set */
export function staysAt(
  { settings }: Pick<AppContext, 'settings'>,
  { provider }: Pick<PreparedChannel, 'provider'>,
  { purpose, seconds }: { purpose: string; seconds: number | undefined },
): boolean {
  return (
    storedPurposes.has(purpose) &&
    seconds === undefined &&
    provider?.hosts?.includes('vector_stores') === true &&
    settings.get('VectorStoresPerUser') > 0
  );
}

/** Results as of `deleteAtProvider`. */
export async function releaseUpstream(context: Requesting, record: FileRecord): Promise<'gone' | 'left' | 'silent'> {
  if (record.stays !== true) return deleteAtProvider(context, record);
  const { id, channel_id: at, upstream_id: name, purpose, created_at: since } = record;
  // Uses the channel's current key: if it belongs to another account, the file is not found there.
  const channel = context.channels.get(at);
  if (channel === undefined) return 'gone';
  if (channel.problem !== null) return 'left';
  if (name !== '') return deleteThere(context, channel, `/files/${encodeURIComponent(name)}`);
  const list = `/files?purpose=${encodeURIComponent(purpose)}`;
  const found = await findByName(context, channel, { list, limit: pageSize.list, member: 'filename', name: id, since });
  // A refused list says nothing about other files; only a timeout stops further requests.
  if (found === undefined) return isOverdue(context) ? 'silent' : 'left';
  if (found !== null) return deleteThere(context, channel, `/files/${encodeURIComponent(found)}`);
  return context.now() / 1000 > since + longestUnanswered ? 'gone' : 'left';
}

type Stored = Pick<AppContext, 'db'>;

/**
 * Records that the upload succeeded, with the provider's id.
 * @throws {AppError} `file_not_found` if it timed out and was given up
 */
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

/** Marks files as held, before they are added to a store. */
export async function holdFiles({ db, now }: Stored & Pick<AppContext, 'now'>, store: string, files: readonly FileRecord[]): Promise<void> {
  const ids = files.filter(({ stays }) => stays === true).map(({ id }) => id);
  if (ids.length === 0) return;
  await db.collection('files').patchAll({ id: { in: ids } }, { set: { [`held_by.${store}`]: Math.floor(now() / 1000) } });
}

/**
 * Unmarks files that a store no longer holds.
 * @param ids if undefined, all files of the user
 */
export async function releaseFiles({ db }: Stored, store: { id: string; user_id: number }, ids?: readonly string[]): Promise<void> {
  const field = `held_by.${store.id}` as const;
  const held = onField<FileRecord, typeof field>(field, { exists: true });
  const which: Filter<FileRecord> = ids === undefined ? { user_id: store.user_id } : { id: { in: ids }, user_id: store.user_id };
  await db.collection('files').patchAll({ and: [which, held] }, { unset: [field] });
}

/** Extends the lifetime of files in stores, a day before it ends. */
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
