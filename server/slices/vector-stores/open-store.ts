// What routes of stores are made of: one that its caller may use, and the page that a list is asked for.
import { fieldRules } from '#shared/field-rules.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { channelOf } from '#server/slices/files/upstream-files.ts';
import { badQuery, readPage } from '#server/slices/responses/list-items.ts';
import type { StoredAnswer, StoredCaller } from '#server/slices/responses/serve-caller.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { StoresPage } from './store-records.ts';

/** What a route of one store is given. */
export interface StoreCaller extends StoredCaller {
  store: VectorStoreRecord;
}

export interface StoreRoutes {
  /** A path without a store is asked for only where there are any. */
  add(method: string, at: string, work: (caller: StoredCaller) => Promise<StoredAnswer>): void;
  /** The path behind that of one, which is its caller's. */
  addOf(method: string, behind: string, work: (caller: StoreCaller) => Promise<StoredAnswer>): void;
}

/** Where one that can be used is. @throws {AppError} `vector_store_not_found`, and `insufficient_user_quota` of one that nobody pays */
export function openStore(context: AppContext, { id, state, unpaid_since: unpaid, ...store }: VectorStoreRecord): PreparedChannel {
  const channel = channelOf(context, store);
  if (state !== 'stored' || channel === null) throw new AppError('vector_store_not_found', { id });
  if (unpaid > 0) throw new AppError('insufficient_user_quota', { detail: '' });
  return channel;
}

/** @throws {AppError} `invalid_request` with the parameter at fault */
export function readStoresPage(query: URLSearchParams): StoresPage {
  const before = query.get('before') ?? undefined;
  const page = readPage(query);
  if (before !== undefined && page.after !== undefined) throw badQuery('before', fieldRules.invalid);
  return { ...page, before };
}
