// Stores batches: their owner, channel and state.
import { type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { pageQuery } from '#server/db/record-page.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { newWork, type ownedBy } from '#server/work/begin-work.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'randomText'>;

const idLength = 24;

export type BatchBegin = ReturnType<typeof ownedBy> &
  Pick<BatchRecord, 'form' | 'upstream_input' | 'endpoint' | 'input_file' | 'completion_window' | 'output_seconds' | 'metadata'>;

const prefixes = { openai: 'batch', claude: 'msgbatch', gemini: 'gbatch' } as const;

/** Maximum open batches of a user, and requests in them; 0 disables batches. */
export function mostBatches({ settings }: Pick<AppContext, 'settings'>): { batches: number; requests: number } {
  return { batches: settings.get('BatchesPerUser'), requests: settings.get('BatchRequestsPerUser') };
}

/**
 * Inserts a batch before its requests are read; it counts at once.
 * @throws {AppError} `batches_full`
 */
export async function beginBatch(context: Storing & Pick<AppContext, 'ledger'>, known: BatchBegin): Promise<BatchRecord> {
  const times = {
    expires_at: 0,
    in_progress_at: 0,
    finalizing_at: 0,
    completed_at: 0,
    failed_at: 0,
    expired_at: 0,
    cancelling_at: 0,
    cancelled_at: 0,
  };
  const counts = {
    requests: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    expired: 0,
    prompt_tokens: 0,
    cached_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    output_bytes: 0,
    error_bytes: 0,
  };
  const record: BatchRecord = {
    id: `${prefixes[known.form]}_${context.randomText(idLength)}`,
    ...known,
    ...newWork(context),
    ...times,
    ...counts,
    channel_id: 0,
    key: '',
    upstream_output: '',
    upstream_error: '',
    model: '',
    upstream_model: '',
    errors: '',
    status: 'validating',
    output_file: `file-${context.randomText(idLength)}`,
    error_file: `file-${context.randomText(idLength)}`,
  };
  const batches = context.db.collection('batches');
  await batches.insert(record);
  try {
    await checkRoom(context, known.user_id);
  } catch (failure) {
    await batches.remove({ id: record.id, state: 'checking' });
    throw failure;
  }
  return record;
}

/**
 * Counts include the new batch, so concurrent creations cannot exceed the limit.
 * @throws {AppError} `batches_full`
 */
export async function checkRoom(context: Storing, userId: number): Promise<void> {
  const most = mostBatches(context);
  const [sum] = await context.db.collection('batches').group({ filter: { open_user_id: userId }, by: [], sum: { requests: 'requests' } });
  if (sum !== undefined && (sum.count > most.batches || Number(sum['requests']) > most.requests)) throw new AppError('batches_full', most);
}

/** Number of requests that a user's further batches may have. */
export async function roomFor(context: Storing, userId: number): Promise<number> {
  const [sum] = await context.db.collection('batches').group({ filter: { open_user_id: userId }, by: [], sum: { requests: 'requests' } });
  return Math.max(0, mostBatches(context).requests - Number(sum?.['requests'] ?? 0));
}

export interface NamedBatch {
  owner: ObjectOwner;
  form: BatchRecord['form'];
  id: string;
}

/**
 * Finds a batch of an owner.
 * @throws {AppError} `batch_not_found`
 */
export async function findBatch({ db }: Pick<Storing, 'db'>, { owner, form, id }: NamedBatch): Promise<BatchRecord> {
  const found = await db.collection('batches').first({ id, ...visible(owner, form) });
  if (found === null) throw new AppError('batch_not_found', { id });
  return found;
}

/** Hides batches that are being checked: they may be rejected. */
function visible(owner: ObjectOwner, form: BatchRecord['form']): Filter<BatchRecord> {
  return { ...ofOwner(owner), form, state: { ne: 'checking' } };
}

export interface BatchesPage {
  limit: number;
  after: string | undefined;
  /** Lists the batches just newer than this one; excludes `after`. */
  before?: string | undefined;
}

/**
 * Newest first; one more than the page size if there are more.
 * @throws {AppError} `batch_not_found` for an unknown cursor
 */
export async function listBatches(
  context: Pick<Storing, 'db'>,
  { owner, form }: Omit<NamedBatch, 'id'>,
  { limit, after, before }: BatchesPage,
): Promise<BatchRecord[]> {
  const named = async (id?: string) => (id === undefined ? undefined : findBatch(context, { owner, form, id }));
  const end = after === undefined ? { before: await named(before) } : { after: await named(after) };
  const { where, options } = pageQuery({ limit, ...end });
  return context.db.collection('batches').find({ and: [visible(owner, form), ...where] }, options);
}
