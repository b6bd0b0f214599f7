// Routes of a store's files and file batches: https://platform.openai.com/docs/api-reference/vector-stores-files
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import { isId } from '#server/objects/find-by-name.ts';
import { releaseFiles } from '#server/objects/retained-files.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { strangerName } from '#server/objects/stranger-name.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createIdRestorer } from '#server/objects/restore-ids.ts';
import { listOf } from '#server/objects/list-items.ts';
import { jsonResponse } from '#server/objects/serve-caller.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { attachFiles, refusedBy } from './create-store.ts';
import { noteLargest } from './look-at-store.ts';
import { checkPlace, namesIn, callerFiles, providerFileIds } from './caller-files.ts';
import { attributesIn, readBatchRequest, readFileRequest, type StoreFileRequest, strictFields } from './store-fields.ts';
import { changeStore } from './store-records.ts';
import { openStore, readStoresPage, type StoreCaller, type StoreRoutes } from './open-store.ts';
import { type Refused, requestBytes, requestStores, storePath } from './upstream-stores.ts';

/** Files whose text is no longer than they are; other formats are compressed. */
const plain = /\.(?:c|cpp|cs|css|csv|go|html|java|js|json|md|php|py|rb|sh|tex|ts|txt|xml)$/i;
/** Maximum bytes of a file's text; the vendor accepts five million tokens. */
const mostContent = 32 * 1024 * 1024;
const statuses = ['in_progress', 'completed', 'failed', 'cancelled'];
const prefix = 'vsfb_';
const longestName = 1024;

type Reported = Readonly<Record<string, unknown>>;

export function mountStoreFiles({ addOf }: StoreRoutes, services: RelayServices): void {
  const { context } = services;
  const file = '/files/:file';
  const batch = '/file_batches/:batch';

  addOf('POST', '/files', async (caller) => {
    const requested = readFileRequest(await caller.readBody());
    const object = await attach(services, caller, [requested], 'file_id');
    return { json: await presentFile(context, caller, object) };
  });
  addOf('GET', '/files', async (caller) => ({ json: await listFiles(context, caller, '/files') }));
  addOf('GET', file, async (caller) => {
    const own = await fileOf(context, caller);
    return { json: await presentFile(context, caller, await ask(context, caller, { method: 'GET', path: pathOf(own) }, own.id)) };
  });
  addOf('POST', file, async (caller) => {
    const attributes = attributesIn(strictFields(await caller.readBody(), new Set(['attributes'])));
    if (attributes === undefined) throw badField('attributes', fieldRules.required);
    const own = await fileOf(context, caller);
    const object = await ask(context, caller, { method: 'POST', path: pathOf(own), body: { attributes } }, own.id);
    return { json: await presentFile(context, caller, object) };
  });
  addOf('DELETE', file, async (caller) => {
    const own = await fileOf(context, caller);
    await noteLargest(context, caller.store);
    await ask(context, caller, { method: 'DELETE', path: pathOf(own) }, own.id);
    await releaseFiles(context, caller.store, [own.id]);
    // The store has become smaller.
    await changeStore(context, caller.store.id, () => ({ poll_at: context.now() + 1000 }));
    return { json: { id: own.id, object: 'vector_store.file.deleted', deleted: true } };
  });
  addOf('GET', `${file}/content`, async (caller) => {
    const own = await fileOf(context, caller);
    caller.makeRoom(plain.test(own.filename) ? Math.min(mostContent, own.bytes * 4) : mostContent);
    const question = { method: 'GET' as const, path: storePath(caller.store, `${pathOf(own)}/content`), mostBytes: mostContent };
    const answer = await requestBytes(context, openStore(context, caller.store), question);
    if ('failure' in answer) throw refusedOf(context, answer, own.id);
    if (answer.bytes.subarray(0, longestName).toString().trimStart()[0] !== '{') throw new AppError('invalid_upstream_response');
    const report = createIdRestorer({
      idOf: (name) => (name === own.upstream_id ? own.id : strangerName(context.secrets, name)),
      filenameOf: () => own.filename,
    });
    return { response: jsonResponse(caller, report(answer.bytes)) };
  });

  addOf('POST', '/file_batches', async (caller) => {
    const requested = readBatchRequest(await caller.readBody());
    return { json: presentBatch(context, caller, await attach(services, caller, requested, 'file_ids', '/file_batches')) };
  });
  addOf('GET', batch, async (caller) => {
    const { reported, path } = batchOf(context, caller);
    return { json: presentBatch(context, caller, await ask(context, caller, { method: 'GET', path }, reported)) };
  });
  addOf('POST', `${batch}/cancel`, async (caller) => {
    const { reported, path } = batchOf(context, caller);
    return { json: presentBatch(context, caller, await ask(context, caller, { method: 'POST', path: `${path}/cancel` }, reported)) };
  });
  addOf('GET', `${batch}/files`, async (caller) => ({ json: await listFiles(context, caller, `${batchOf(context, caller).path}/files`) }));
}

/**
 * Sends a request about the store; an error names our id, not the provider's.
 * @param what our id of the requested object
 * @param question request with a path below the store's
 */
async function ask(
  context: AppContext,
  { store }: StoreCaller,
  question: Parameters<typeof requestStores>[2],
  what: string,
): Promise<Reported> {
  const answer = await requestStores(context, openStore(context, store), { ...question, path: storePath(store, question.path) });
  if (!('failure' in answer)) return answer.object;
  throw refusedOf(context, answer, what);
}

function refusedOf(context: AppContext, answer: Refused, what: string): AppError {
  if (answer.failure.upstreamStatus !== 404) return refusedBy(context, answer);
  return new AppError(what.startsWith(prefix) ? 'batch_not_found' : 'file_not_found', { id: what });
}

async function fileOf(context: AppContext, caller: StoreCaller): Promise<FileRecord> {
  const { params, store } = caller;
  const id = params['file'] ?? '';
  const [own] = await callerFiles(context, caller, [id]);
  if (own === undefined || own.channel_id !== store.channel_id || own.key !== store.key) throw new AppError('file_not_found', { id });
  return own;
}

function pathOf({ upstream_id: name }: FileRecord): string {
  return `/files/${encodeURIComponent(name)}`;
}

async function attach(
  services: RelayServices,
  caller: StoreCaller,
  requested: readonly StoreFileRequest[],
  field: string,
  behind = '/files',
): Promise<Reported> {
  const { context } = services;
  const { store } = caller;
  const { token } = caller.admission;
  const channel = openStore(context, store);
  // A key with a quota could spend beyond it through another key's store.
  if (token.id !== store.token_id && !token.unlimited_quota) throw new AppError('vector_store_of_other_key');
  const files = await callerFiles(
    context,
    caller,
    requested.map(({ name }) => name),
  );
  checkPlace(store, files, field);
  const claimed = files.reduce((sum, { bytes }, index) => sum + bytes * (requested[index]?.chunking.factor ?? 1), 0);
  const list = requested.map(({ attributes, chunking }, index) => ({
    file_id: files[index]?.upstream_id,
    attributes,
    chunking_strategy: chunking.reported,
  }));
  const body = behind === '/files' ? (list[0] ?? {}) : { files: list };
  return attachFiles(services, channel, { store, files, claimed, path: storePath(store, behind), body });
}

/** @throws {AppError} `file_not_found` for a cursor that is not the caller's file */
async function listFiles(context: AppContext, caller: StoreCaller, path: string): Promise<object> {
  const { store, query } = caller;
  const { limit, isAscending, ...ends } = readStoresPage(query);
  const filter = query.get('filter');
  if (filter !== null && !statuses.includes(filter)) throw badField('filter', fieldRules.oneOf(statuses));
  const requested = new URLSearchParams({
    limit: String(limit),
    order: isAscending ? 'asc' : 'desc',
    ...(filter === null ? {} : { filter }),
  });
  for (const end of ['after', 'before'] as const) {
    const at = ends[end];
    const [own] = at === undefined ? [] : await callerFiles(context, caller, [at]);
    if (own !== undefined) requested.set(end, own.upstream_id);
  }
  const answer = await ask(context, caller, { method: 'GET', path: `${path}?${requested}` }, path.includes(prefix) ? prefix : store.id);
  const { data } = answer;
  const list = Array.isArray(data) ? data.filter(isObject) : [];
  const { idOf } = await providerFileIds(context, store, namesIn(list, 'id'));
  return listOf(
    list.map((item) => named(store.id, item, idOf)),
    answer['has_more'] === true,
  );
}

async function presentFile(context: AppContext, { store }: StoreCaller, object: Reported): Promise<object> {
  const { idOf } = await providerFileIds(context, store, namesIn([object], 'id'));
  return named(store.id, object, idOf);
}

function named(store: string, object: Reported, idOf: (name: string) => string): Reported {
  const { id } = object;
  return { ...object, id: typeof id === 'string' ? idOf(id) : '', vector_store_id: store };
}

/** Batches are not stored: their ids are sealed for their store. */
function presentBatch({ secrets }: AppContext, { store }: StoreCaller, object: Reported): Reported {
  const { id: name } = object;
  if (!isId(name)) throw new AppError('invalid_upstream_response');
  return {
    ...object,
    id: `${prefix}${secrets.encrypt(JSON.stringify({ batch: name, store: store.id }), 'store_batch')}`,
    vector_store_id: store.id,
  };
}

/** @throws {AppError} `batch_not_found` for batches of other stores */
function batchOf({ secrets }: AppContext, { store, params }: StoreCaller): { reported: string; path: string } {
  const reported = params['batch'] ?? '';
  const opened = openSeal(secrets, reported);
  const name = opened?.['batch'];
  if (!isId(name) || opened?.['store'] !== store.id) throw new AppError('batch_not_found', { id: reported.slice(0, longestName) });
  return { reported, path: `/file_batches/${encodeURIComponent(name)}` };
}

function openSeal(secrets: AppContext['secrets'], reported: string): Reported | null {
  if (!reported.startsWith(prefix) || reported.length > longestName) return null;
  try {
    return parseObject(secrets.decrypt(reported.slice(prefix.length), 'store_batch'));
  } catch {
    // Not sealed here.
    return null;
  }
}
