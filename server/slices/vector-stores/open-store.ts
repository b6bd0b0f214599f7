// Helpers of store routes: finds the caller's store, and parses pages.
import { fieldRules } from '#shared/field-rules.ts';
import { AppError } from '#shared/errors.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { channelOf } from '#server/objects/upstream-files.ts';
import { readPage } from '#server/objects/list-items.ts';
import type { StoredAnswer, StoredCaller } from '#server/objects/serve-caller.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { StoresPage } from './store-records.ts';

/** Input of a route of one store. */
export interface StoreCaller extends StoredCaller {
  store: VectorStoreRecord;
}

export interface StoreRoutes {
  /** Adds a path without a store, which requires that stores are enabled. */
  add(method: string, at: string, work: (caller: StoredCaller) => Promise<StoredAnswer>): void;
  /** Adds a path below the caller's store. */
  addOf(method: string, behind: string, work: (caller: StoreCaller) => Promise<StoredAnswer>): void;
}

/**
 * Channel of a usable store.
 * @throws {AppError} `vector_store_not_found`, and `insufficient_user_quota` for an unpaid one
 */
export function openStore(context: AppContext, { id, state, unpaid_since: unpaid, ...store }: VectorStoreRecord): PreparedChannel {
  const channel = channelOf(context, store);
  if (state !== 'stored' || channel === null) throw new AppError('vector_store_not_found', { id });
  if (unpaid > 0) throw new AppError('insufficient_user_quota', { detail: '' });
  return channel;
}

/** @throws {AppError} `invalid_request` with the invalid parameter */
export function readStoresPage(query: URLSearchParams): StoresPage {
  const before = query.get('before') ?? undefined;
  const page = readPage(query);
  if (before !== undefined && page.after !== undefined) throw badField('before', fieldRules.invalid);
  return { ...page, before };
}
