// Stores callers' files at providers: their owner, location and lifetime.
import { type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { pageQuery } from '#server/db/record-page.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { dropCutFiles } from './interrupted-uploads.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'randomText' | 'ledger'>;

/** Purpose of files with batch requests. */
export const batchPurpose = 'batch';
/** Purpose of files with batch results. */
export const resultsPurpose = 'batch_output';
/** Purpose of files with training examples. */
export const tuningPurpose = 'fine-tune';
/** Purpose of files with training metrics. */
export const tuningResultsPurpose = 'fine-tune-results';
const daySeconds = 86_400;
const idLength = 24;

export interface FilesPage {
  limit: number;
  isAscending: boolean;
  after: string | undefined;
  purpose: string | undefined;
}

/** Maximum files of a user, and their bytes; 0 disables files. */
export function mostFiles({ settings }: Pick<AppContext, 'settings'>): { count: number; bytes: number } {
  return { count: settings.get('FilesPerUser'), bytes: settings.get('FileMegabytesPerUser') * 1_000_000 };
}

/** Maximum lifetime of a file in seconds. */
export function longestRetention({ settings }: Pick<AppContext, 'settings'>): number {
  return settings.get('FileRetentionDays') * daySeconds;
}

/**
 * Inserts a file before it is uploaded. It counts at once, so that concurrent uploads cannot share the last slot.
 * @throws {AppError} `files_full`
 */
export async function beginFile(
  context: Storing,
  file: Pick<FileRecord, 'user_id' | 'member_id' | 'channel_id' | 'key' | 'filename' | 'purpose' | 'bytes' | 'stays'> & { seconds: number },
): Promise<FileRecord> {
  const files = context.db.collection('files');
  const { seconds, ...known } = file;
  const created = Math.floor(context.now() / 1000);
  const made = { id: `file-${context.randomText(idLength)}`, upstream_id: '', created_at: created, state: 'sending' as const };
  const record: FileRecord = { ...known, ...made, process: context.ledger.processId, expires_at: created + seconds };
  await files.insert(record);
  const most = mostFiles(context);
  const fits = async (counted: Filter<FileRecord> = {}) => {
    const [sum] = await files.group({ filter: { and: [{ user_id: file.user_id }, counted] }, by: [], sum: { bytes: 'bytes' } });
    return sum !== undefined && sum.count <= most.count && Number(sum['bytes']) <= most.bytes;
  };
  // The first query uses the index alone and usually suffices.
  const taken = { not_taken: { exists: false } } as const;
  if ((await fits()) || (await fits(taken))) return record;
  if ((await dropCutFiles(context, { user_id: file.user_id })) > 0 && (await fits(taken))) return record;
  await files.remove({ id: record.id });
  throw new AppError('files_full', { count: most.count, megabytes: most.bytes / 1_000_000 });
}

/**
 * Finds a usable file of an owner.
 * @throws {AppError} `file_not_found` for any other
 */
export async function findFile({ db, now }: Storing, owner: ObjectOwner, id: string): Promise<FileRecord> {
  const found = isNameable(id) ? await db.collection('files').first({ id, ...usable(owner, now()) }) : null;
  if (found === null) throw fileNotFound(id);
  return found;
}

/** Longer than any id here; longer texts are neither queried nor returned. */
const longestName = 64;

export function isNameable(id: string): boolean {
  return id.length <= longestName;
}

export function fileNotFound(id: string): AppError {
  return new AppError('file_not_found', { id: id.slice(0, longestName) });
}

/** Filter for files that a caller may use. */
export function usable(owner: ObjectOwner, now: number): Filter<FileRecord> {
  return { ...ofOwner(owner), state: 'stored', expires_at: { gt: Math.floor(now / 1000) } };
}

/**
 * One more than the page size if there are more.
 * @throws {AppError} `file_not_found` for an unknown `after`
 */
export async function listFiles(context: Storing, owner: ObjectOwner, page: FilesPage): Promise<FileRecord[]> {
  const own = usable(owner, context.now());
  const conditions: Filter<FileRecord>[] = [own];
  if (page.purpose !== undefined) conditions.push({ purpose: page.purpose });
  const after = page.after === undefined ? undefined : await findFile(context, owner, page.after);
  const { where, options } = pageQuery({ ...page, after });
  return context.db.collection('files').find({ and: [...conditions, ...where] }, options);
}

/** https://platform.openai.com/docs/api-reference/files/object */
export function presentFile({ id, bytes, created_at, expires_at, filename, purpose }: FileRecord): Record<string, unknown> {
  return { id, object: 'file', bytes, created_at, expires_at, filename, purpose, status: 'processed', status_details: null };
}
