// What is known here of batches: whose they are, where they run, and how they are told.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'randomText'>;

const idLength = 24;
/** Nobody looks at one before, whose creation is under way. */
export const creationMs = 15 * 60_000;

export type BatchBegin = Pick<
  BatchRecord,
  | 'user_id'
  | 'username'
  | 'token_id'
  | 'token_name'
  | 'group'
  | 'request_id'
  | 'endpoint'
  | 'input_file'
  | 'completion_window'
  | 'output_seconds'
  | 'metadata'
>;

/** How many of a user may be under way, and requests in them; 0: there are none here. */
export function mostBatches({ settings }: Pick<AppContext, 'settings'>): { batches: number; requests: number } {
  return { batches: settings.get('BatchesPerUser'), requests: settings.get('BatchRequestsPerUser') };
}

/** One whose requests are about to be read. It counts from now on. @throws {AppError} `batches_full` */
export async function beginBatch(context: Storing, known: BatchBegin, process: string): Promise<BatchRecord> {
  const created = Math.floor(context.now() / 1000);
  const times = {
    created_at: created,
    expires_at: 0,
    in_progress_at: 0,
    finalizing_at: 0,
    completed_at: 0,
    failed_at: 0,
    expired_at: 0,
    cancelling_at: 0,
    cancelled_at: 0,
  };
  const there = { channel_id: 0, key: '', upstream_input: '', upstream_id: '', upstream_output: '', upstream_error: '' };
  const counts = { requests: 0, completed: 0, failed: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, reasoning_tokens: 0 };
  const files = { output_bytes: 0, error_bytes: 0 };
  const record: BatchRecord = {
    id: `batch_${context.randomText(idLength)}`,
    ...known,
    ...times,
    ...there,
    ...counts,
    ...files,
    model: '',
    upstream_model: '',
    errors: '',
    state: 'checking',
    status: 'validating',
    output_file: `file-${context.randomText(idLength)}`,
    error_file: `file-${context.randomText(idLength)}`,
    quoted: '',
    reserved: 0,
    token_reserved: 0,
    charge: 'none',
    process,
    cost: 0,
    log_id: 0,
    open_user_id: known.user_id,
    poll_at: context.now() + creationMs,
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

/** Counted with itself: of those that come at once none goes beyond the bound unseen. @throws {AppError} `batches_full` */
export async function checkRoom(context: Storing, userId: number): Promise<void> {
  const most = mostBatches(context);
  const [sum] = await context.db.collection('batches').group({ filter: { open_user_id: userId }, by: [], sum: { requests: 'requests' } });
  if (sum !== undefined && (sum.count > most.batches || Number(sum['requests']) > most.requests)) throw new AppError('batches_full', most);
}

/** Requests that a user's further batches may have. */
export async function roomFor(context: Storing, userId: number): Promise<number> {
  const [sum] = await context.db.collection('batches').group({ filter: { open_user_id: userId }, by: [], sum: { requests: 'requests' } });
  return Math.max(0, mostBatches(context).requests - Number(sum?.['requests'] ?? 0));
}

/** Of a user's own. @throws {AppError} `batch_not_found` */
export async function findBatch({ db }: Pick<Storing, 'db'>, userId: number, id: string): Promise<BatchRecord> {
  const found = await db.collection('batches').first({ id, ...visible(userId) });
  if (found === null) throw new AppError('batch_not_found', { id });
  return found;
}

/** What is being looked at has no answer yet, and may never be one. */
function visible(userId: number): Filter<BatchRecord> {
  return { user_id: userId, state: { ne: 'checking' } };
}

/** The newest first, one more than the page has, where there are more. @throws {AppError} `batch_not_found` for an `after` that is none */
export async function listBatches(
  context: Pick<Storing, 'db'>,
  userId: number,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<BatchRecord[]> {
  const conditions: Filter<BatchRecord>[] = [visible(userId)];
  if (after !== undefined) {
    const { created_at: at, id } = await findBatch(context, userId, after);
    conditions.push({ or: [{ created_at: { lt: at } }, { created_at: at, id: { lt: id } }] });
  }
  const sort = [
    ['created_at', -1],
    ['id', -1],
  ] as const;
  return context.db.collection('batches').find({ and: conditions }, { sort, limit: limit + 1 });
}

/** Seconds between a batch and its end, where the provider does not tell. */
const windowSeconds = 24 * 3600;
const endings: ReadonlySet<string> = new Set(['completed', 'expired', 'cancelled']);

/** https://platform.openai.com/docs/api-reference/batch/object */
export function toldBatch(record: BatchRecord): Record<string, unknown> {
  const hasEnded = record.state === 'ended';
  const timeOf = (at: number) => (at === 0 ? null : at);
  const { prompt_tokens: input, completion_tokens: output } = record;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: record.cached_tokens },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: record.reasoning_tokens },
    total_tokens: input + output,
  };
  return {
    id: record.id,
    object: 'batch',
    endpoint: record.endpoint,
    model: record.model,
    errors: record.errors === '' ? null : { object: 'list', data: JSON.parse(record.errors) },
    input_file_id: record.input_file,
    completion_window: record.completion_window,
    // Its files are there once it is paid for.
    status: hasEnded || !endings.has(record.status) ? record.status : 'finalizing',
    output_file_id: hasEnded && record.upstream_output !== '' ? record.output_file : null,
    error_file_id: hasEnded && record.upstream_error !== '' ? record.error_file : null,
    created_at: record.created_at,
    in_progress_at: timeOf(record.in_progress_at),
    expires_at: record.expires_at === 0 ? record.created_at + windowSeconds : record.expires_at,
    finalizing_at: timeOf(record.finalizing_at),
    completed_at: hasEnded ? timeOf(record.completed_at) : null,
    failed_at: timeOf(record.failed_at),
    expired_at: hasEnded ? timeOf(record.expired_at) : null,
    cancelling_at: timeOf(record.cancelling_at),
    cancelled_at: hasEnded ? timeOf(record.cancelled_at) : null,
    request_counts: { total: record.requests, completed: record.completed, failed: record.failed },
    ...(hasEnded ? { usage } : {}),
    metadata: record.metadata === '' ? null : JSON.parse(record.metadata),
  };
}
