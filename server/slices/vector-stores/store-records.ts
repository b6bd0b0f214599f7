// Stores and presents vector stores.
import { type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable, type Filter } from '#server/db/collection.ts';
import { pageQuery } from '#server/db/record-page.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { termsOf } from './store-price.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'randomText'>;

const idLength = 24;
/** Time until another process looks at a store in creation. */
const creationMs = 15 * 60_000;
/** Maximum concurrent changes to retry. */
const mostTries = 100;

export type StoreBegin = Pick<
  VectorStoreRecord,
  | 'user_id'
  | 'member_id'
  | 'username'
  | 'token_id'
  | 'token_name'
  | 'group'
  | 'channel_id'
  | 'key'
  | 'name'
  | 'description'
  | 'metadata'
  | 'expires_days'
  | 'claimed_bytes'
  | 'file_bytes'
>;

/** Maximum stores of a user, and their bytes; 0 disables stores. */
export function mostStores({ settings }: Pick<AppContext, 'settings'>): { count: number; bytes: number } {
  return { count: settings.get('VectorStoresPerUser'), bytes: settings.get('VectorStoreMegabytesPerUser') * 1_000_000 };
}

/**
 * Inserts a store before it is created; it counts at once.
 * @throws {AppError} `vector_stores_full`
 */
export async function beginStore(context: Storing, known: StoreBegin, userGroup: string): Promise<VectorStoreRecord> {
  const now = Math.floor(context.now() / 1000);
  const reported = {
    status: 'in_progress' as const,
    usage_bytes: 0,
    files_in_progress: 0,
    files_completed: 0,
    files_failed: 0,
    files_cancelled: 0,
    last_active_at: now,
    seen_at: now,
  };
  const paid = {
    day_bytes: 0,
    covered_bytes: 0,
    reserved: 0,
    token_reserved: 0,
    token_used: 0,
    ...termsOf(context, { group: known.group, userGroup }),
  };
  const open = { payments: 0, pending_amount: 0, pending_token: 0, pending_bytes: 0, closing_until: 0, closing_cost: 0, log_id: 0 };
  const record: VectorStoreRecord = {
    id: `vs_${context.randomText(idLength)}`,
    ...known,
    ...reported,
    ...paid,
    ...open,
    upstream_id: '',
    created_at: now,
    state: 'creating',
    left_at: 0,
    has_expired: false,
    claimed_at: now,
    period: 0,
    period_from: now,
    unpaid_since: 0,
    version: 0,
    poll_at: context.now() + creationMs,
  };
  const stores = context.db.collection('vector_stores');
  await stores.insert(record);
  try {
    await checkRoom(context, known.user_id);
  } catch (failure) {
    await stores.remove({ id: record.id });
    throw failure;
  }
  return record;
}

/**
 * Counts include the pending addition, so concurrent requests cannot exceed the limit.
 * @throws {AppError} `vector_stores_full`
 */
export async function checkRoom(context: Storing, userId: number): Promise<void> {
  const most = mostStores(context);
  const filter: Filter<VectorStoreRecord> = { user_id: userId, state: { in: ['creating', 'stored'] } };
  const [sum] = await context.db.collection('vector_stores').group({ filter, by: [], sum: { bytes: 'claimed_bytes' } });
  if (sum !== undefined && (sum.count > most.count || Number(sum['bytes']) > most.bytes))
    throw new AppError('vector_stores_full', { count: most.count, megabytes: most.bytes / 1_000_000 });
}

/**
 * Finds a store of an owner.
 * @throws {AppError} `vector_store_not_found` for any other
 */
export async function findStore({ db }: Pick<Storing, 'db'>, owner: ObjectOwner, id: string): Promise<VectorStoreRecord> {
  const found = await db.collection('vector_stores').first({ id, ...visible(owner) });
  if (found === null) throw new AppError('vector_store_not_found', { id });
  return found;
}

function visible(owner: ObjectOwner): Filter<VectorStoreRecord> {
  return { ...ofOwner(owner), state: { in: ['stored', 'expired'] } };
}

export interface StoresPage {
  limit: number;
  isAscending: boolean;
  after: string | undefined;
  before: string | undefined;
}

/**
 * One more than the page size if there are more.
 * @throws {AppError} `vector_store_not_found` for an unknown cursor
 */
export async function listStores(context: Storing, owner: ObjectOwner, page: StoresPage): Promise<VectorStoreRecord[]> {
  const named = async (id?: string) => (id === undefined ? undefined : findStore(context, owner, id));
  const [after, before] = [await named(page.after), await named(page.before)];
  const { where, options } = pageQuery({ ...page, after, before });
  const found = await context.db.collection('vector_stores').find({ and: [visible(owner), ...where] }, options);
  if (before === undefined || after !== undefined) return found;
  // `before` selects the stores next to it.
  // The surplus row stays last, so that the caller drops it.
  return [...found.slice(0, page.limit).toReversed(), ...found.slice(page.limit)];
}

/**
 * Changes a record with optimistic retries.
 * @param make returns null to change nothing
 * @returns null if nothing was changed or the record is deleted
 */
export async function changeStore(
  { db }: Pick<AppContext, 'db'>,
  id: string,
  make: (store: VectorStoreRecord) => Partial<VectorStoreRecord> | null,
): Promise<VectorStoreRecord | null> {
  const stores = db.collection('vector_stores');
  for (let tries = 0; tries < mostTries; tries += 1) {
    const store = await stores.get(id);
    const set = store === null ? null : make(store);
    if (store === null || set === null) return null;
    const changed = await stores.patch({ id, version: store.version }, { set: { ...set, version: store.version + 1 } });
    if (changed !== null) return changed;
  }
  throw new DatabaseUnavailable('A vector store is being changed all the time');
}

/** https://platform.openai.com/docs/api-reference/vector-stores/object */
export function presentStore(record: VectorStoreRecord): Record<string, unknown> {
  const { files_in_progress: running, files_completed: completed, files_failed: failed, files_cancelled: cancelled } = record;
  const { expires_days: days, last_active_at: active } = record;
  return {
    id: record.id,
    object: 'vector_store',
    created_at: record.created_at,
    name: record.name,
    ...(record.description === '' ? {} : { description: record.description }),
    usage_bytes: record.usage_bytes,
    file_counts: { in_progress: running, completed, failed, cancelled, total: running + completed + failed + cancelled },
    status: record.state === 'expired' ? 'expired' : record.status,
    expires_after: days === 0 ? null : { anchor: 'last_active_at', days },
    expires_at: expiryOf(record),
    last_active_at: active,
    metadata: record.metadata === '' ? {} : JSON.parse(record.metadata),
  };
}

/** Unix seconds; null if it does not expire. */
export function expiryOf({ expires_days: days, last_active_at: active }: VectorStoreRecord): number | null {
  return days === 0 ? null : active + days * 86_400;
}
