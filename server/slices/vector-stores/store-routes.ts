// `/v1/vector_stores`: https://platform.openai.com/docs/api-reference/vector-stores
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { channelOf } from '#server/objects/upstream-files.ts';
import { metadataIn } from '#server/objects/metadata-field.ts';
import { filesAreOff } from '#server/objects/read-upload.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { listOf } from '#server/objects/list-items.ts';
import { createServer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { createStore, longestName } from './create-store.ts';
import { noteLargest, noteReported } from './look-at-store.ts';
import { readStoresPage, type StoreRoutes } from './open-store.ts';
import { searchStore } from './search-store.ts';
import { mountStoreFiles } from './store-file-routes.ts';
import { expiryIn, shortText, strictFields } from './store-fields.ts';
import { changeStore, findStore, listStores, mostStores, presentStore } from './store-records.ts';
import { leaveStore } from './tend-stores.ts';
import { requestStore, storePath } from './upstream-stores.ts';

/** Seconds for which a store without running files is presented from the record. */
const fresh = 10;

export function mountVectorStores(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const serve = createServer(host, services, surfaces.openai);
  const isOff = () => mostStores(context).count === 0;
  const routes: StoreRoutes = {
    add: (method, at, work) =>
      host.addDirect(
        method,
        at,
        serve((caller) => {
          if (isOff()) throw filesAreOff(caller.path);
          return work(caller);
        }),
      ),
    addOf: (method, behind, work) =>
      host.addDirect(
        method,
        `/v1/vector_stores/:store${behind}`,
        serve(async (caller) => work({ ...caller, store: await storeOf(caller) })),
      ),
  };
  /** Existing stores stay usable while creation is disabled. */
  const storeOf = async (caller: StoredCaller) => {
    const { params, path } = caller;
    try {
      return await findStore(context, caller, params['store'] ?? '');
    } catch (failure) {
      throw isOff() && failure instanceof AppError && failure.code === 'vector_store_not_found' ? filesAreOff(path) : failure;
    }
  };

  routes.add('POST', '/v1/vector_stores', async (caller) => {
    await checkMeans(services, caller.admission);
    return { json: presentStore(await createStore(services, caller, await caller.readBody())) };
  });
  routes.add('GET', '/v1/vector_stores', async (caller) => {
    const page = readStoresPage(caller.query);
    const found = await listStores(context, caller, page);
    return { json: listOf(found.slice(0, page.limit).map(presentStore), found.length > page.limit) };
  });
  routes.addOf('GET', '', async ({ store }) => ({ json: presentStore(await seenStore(context, store)) }));
  routes.addOf('POST', '', async ({ store, readBody }) => {
    const set = readUpdate(await readBody());
    const changed = await changeStore(context, store.id, ({ state }) => (state === 'stored' ? set : null));
    if (changed === null) throw new AppError('vector_store_not_found', { id: store.id });
    return { json: presentStore(changed) };
  });
  routes.addOf('DELETE', '', async ({ store }) => {
    const { id, state } = store;
    const now = Math.floor(context.now() / 1000);
    if (state === 'stored') await noteLargest(context, store);
    if (state === 'expired') await context.db.collection('vector_stores').remove({ id, state });
    // The owner no longer has or pays the store. If the provider fails to delete it now, the job does.
    else if ((await leaveStore(context, id, { at: now })) === null) throw new AppError('vector_store_not_found', { id });
    return { json: { id, object: 'vector_store.deleted', deleted: true } };
  });
  routes.addOf('POST', '/search', async (caller) => ({ json: await searchStore(services, caller, await caller.readBody()) }));
  mountStoreFiles(routes, services);
}

/** Refreshes the record from the provider if needed. */
async function seenStore(context: AppContext, store: VectorStoreRecord): Promise<VectorStoreRecord> {
  const isFresh = store.files_in_progress === 0 && store.seen_at + fresh > context.now() / 1000;
  const channel = channelOf(context, store);
  if (store.state !== 'stored' || isFresh || channel === null) return store;
  const answer = await requestStore(context, channel, { method: 'GET', path: storePath(store) });
  // The job resolves it.
  if ('failure' in answer || answer.reported.hasExpired) return store;
  return (await noteReported(context, store.id, answer.reported)) ?? store;
}

const updated = new Set(['name', 'expires_after', 'metadata']);

/**
 * `null` removes a value.
 * @throws {AppError} `invalid_request`
 */
function readUpdate(body: unknown): Partial<VectorStoreRecord> {
  const fields = strictFields(body, updated);
  const isSaid = (field: string) => fields.plain[field] !== undefined;
  return {
    ...(isSaid('name') ? { name: shortText(fields, 'name', longestName) } : {}),
    ...(isSaid('expires_after') ? { expires_days: expiryIn(fields) } : {}),
    ...(isSaid('metadata') ? { metadata: metadataIn(fields) } : {}),
  };
}
