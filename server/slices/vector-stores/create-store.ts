// Creates a store at its provider, and adds files to stores. Decision 96 lists the effect of a crash between any two
// writes.
import { ownerFields } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { channelOf, errorOf } from '#server/objects/upstream-files.ts';
import { metadataIn } from '#server/objects/metadata-field.ts';
import { holdFiles, releaseFiles } from '#server/objects/retained-files.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { noteReported } from './look-at-store.ts';
import { checkPlace, callerFiles } from './caller-files.ts';
import { coverBytes } from './pay-store.ts';
import { beginStore, changeStore, checkRoom, type StoreBegin } from './store-records.ts';
import { type Chunking, chunkingIn, expiryIn, fileNames, shortText, strictFields } from './store-fields.ts';
import { leaveLate, leaveStore } from './tend-stores.ts';
import { channelsWithStores, isAble, type Refused, requestStore, requestStores, switchOf } from './upstream-stores.ts';

const known = new Set(['name', 'description', 'file_ids', 'expires_after', 'chunking_strategy', 'metadata']);
export const longestName = 256;
const longestDescription = 512;
/** Time until the job looks for a store whose creation got no response, and at one with new files. */
const soonMs = 60_000;

/** @throws {AppError} for the fields, the files, the limits, the balance and the provider */
export async function createStore(services: RelayServices, caller: StoredCaller, body: unknown): Promise<VectorStoreRecord> {
  const { context } = services;
  const { admission } = caller;
  const fields = strictFields(body, known);
  const said = {
    name: shortText(fields, 'name', longestName),
    description: shortText(fields, 'description', longestDescription),
    expires_days: expiryIn(fields),
    metadata: metadataIn(fields),
  };
  const chunking = chunkingIn(fields);
  const files = await callerFiles(context, caller, fileNames(fields));
  const channel = placeOf(services, caller, files);
  const there = { channel_id: channel.id, key: keyBehind(context.secrets, channel) };
  checkPlace(there, files, 'file_ids');
  const fileBytes = sumOf(files);
  const begin: StoreBegin = {
    ...ownerFields(caller),
    username: admission.user.username,
    token_id: admission.token.id,
    token_name: admission.tokenName,
    group: admission.group,
    ...there,
    ...said,
    claimed_bytes: fileBytes * chunking.factor,
    file_bytes: fileBytes,
  };
  const begun = await beginStore(context, begin, admission.user.group);
  await holdFiles(context, begun.id, files);
  if (!(await coverBytes(context, begun.id, begun.claimed_bytes))) {
    await leaveStore(context, begun.id, { at: begun.created_at });
    throw new AppError('insufficient_user_quota', { detail: '' });
  }
  return createThere(services, channel, { begun, files, chunking });
}

/**
 * Channel of the files, or the preferred one.
 * @throws {AppError} `no_vector_store_channel`
 */
function placeOf({ context }: RelayServices, { admission }: StoredCaller, [file]: readonly FileRecord[]): PreparedChannel {
  const { group, pinnedChannel: pinned } = admission;
  const channel = file === undefined ? channelsWithStores(context, { group, pinned })[0] : channelOf(context, file);
  if (channel === undefined || channel === null || !isAble(channel)) throw new AppError('no_vector_store_channel', { group });
  return channel;
}

function sumOf(files: readonly FileRecord[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface Begun {
  begun: VectorStoreRecord;
  files: readonly FileRecord[];
  chunking: Chunking;
}

async function createThere(
  { context }: RelayServices,
  channel: PreparedChannel,
  { begun, files, chunking }: Begun,
): Promise<VectorStoreRecord> {
  const { id } = begun;
  const body = {
    // Identifies a store whose creation got no response.
    name: id,
    ...(files.length === 0 ? {} : { file_ids: files.map(({ upstream_id: name }) => name) }),
    ...(chunking.reported === undefined || files.length === 0 ? {} : { chunking_strategy: chunking.reported }),
    expires_after: switchOf(0),
  };
  const answer = await requestStore(context, channel, { method: 'POST', path: '/vector_stores', body });
  if ('failure' in answer) {
    if (answer.isUnknown) await changeStore(context, id, () => ({ poll_at: context.now() + soonMs }));
    else await leaveStore(context, id, { at: begun.created_at });
    throw errorOf(context, answer.failure);
  }
  const { reported } = answer;
  const set = { state: 'stored' as const, upstream_id: reported.id, poll_at: context.now() + soonMs };
  const stored = await changeStore(context, id, ({ state }) => (state === 'creating' ? set : null));
  // The creation timed out and was given up, perhaps before the provider had it.
  if (stored === null) {
    await leaveLate(context, begun, reported.id);
    throw new AppError('upstream_timeout');
  }
  return (await noteReported(context, id, reported)) ?? stored;
}

export interface Attaching {
  store: VectorStoreRecord;
  files: readonly FileRecord[];
  /** Upper bound of their bytes. */
  claimed: number;
  /** Path after the store's. */
  path: string;
  body: object;
}

/**
 * Returns the provider's response. The bytes are paid before the request.
 * @throws {AppError} for the limits, the balance and the provider
 */
export async function attachFiles(
  { context }: RelayServices,
  channel: PreparedChannel,
  { store, files, claimed, path, body }: Attaching,
): Promise<Readonly<Record<string, unknown>>> {
  const { id } = store;
  const now = Math.floor(context.now() / 1000);
  const claim = (by: number) =>
    changeStore(context, id, (one) => {
      if (one.state !== 'stored') return null;
      const bytes = Math.max(one.usage_bytes, one.claimed_bytes + by);
      return {
        claimed_bytes: bytes,
        claimed_at: now,
        file_bytes: one.file_bytes + (by > 0 ? sumOf(files) : 0),
        poll_at: context.now() + soonMs,
      };
    });
  const wanted = await claim(claimed);
  if (wanted === null) throw new AppError('vector_store_not_found', { id });
  await holdFiles(context, id, files);
  const giveBack = async () => {
    await claim(-claimed);
    const fresh = files.filter(({ held_by: held }) => held?.[id] === undefined).map(({ id: file }) => file);
    await releaseFiles(context, store, fresh);
  };
  try {
    await checkRoom(context, store.user_id);
    if (!(await coverBytes(context, id, wanted.claimed_bytes))) throw new AppError('insufficient_user_quota', { detail: '' });
  } catch (failure) {
    await giveBack();
    throw failure;
  }
  const answer = await requestStores(context, channel, { method: 'POST', path, body });
  if (!('failure' in answer)) return answer.object;
  if (!answer.isUnknown) await giveBack();
  throw refusedBy(context, answer);
}

export function refusedBy(context: RelayServices['context'], { failure }: Refused): AppError {
  return errorOf(context, failure);
}
