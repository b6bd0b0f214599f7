// Routes of Gemini's batches: created at a model's path, polled as operations. https://ai.google.dev/api/batch-api
import type { ObjectOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { storableText } from '#server/db/storable.ts';
import { plainNames } from '#server/formats/proto-json.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { withoutBlocked } from '#server/objects/blocked-results.ts';
import { passFile } from '#server/objects/pass-file.ts';
import { filesAreOff } from '#server/objects/read-upload.ts';
import { restoredLines } from '#server/objects/restored-lines.ts';
import { channelOf } from '#server/objects/upstream-files.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import type { RouteHost, ServeDirectly } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import { splitVerb } from '#server/call/path-pattern.ts';
import type { ModelVerbs } from '#server/call/routes.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createServer, type StoredAnswer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { batchEndpoint } from './batch-endpoints.ts';
import { findBatch, listBatches, mostBatches } from './batch-store.ts';
import { cancelBatch } from './cancel-batch.ts';
import { type BatchRequest, createBatch } from './create-batch.ts';
import { geminiBatches } from './gemini-batches.ts';
import { inlinedResults, writtenTwice } from './inlined-results.ts';
import { isOfVectors, operationOf, resultsFileOf } from './present-operation.ts';

const { name: form } = geminiBatches;
const [defaultLimit, largestLimit] = [20, 1000];
const longestName = 512;
const filePrefix = 'batch-';
const jsonType = 'application/json; charset=utf-8';

/** Handlers of `/v1/batches` for callers of this format. */
export interface GeminiBatches {
  list: ServeDirectly;
  read: ServeDirectly;
}

export function mountGeminiBatches(host: RouteHost, services: RelayServices): { verbs: ModelVerbs; handlers: GeminiBatches } {
  const { context } = services;
  const serve = createServer(host, services, surfaces.gemini);
  const whereAllowed = (work: (caller: StoredCaller) => Promise<StoredAnswer>) =>
    serve((caller) => {
      if (mostBatches(context).batches === 0) throw filesAreOff(caller.path);
      return work(caller);
    });
  const batchOf = (owner: ObjectOwner, id: string) => findBatch(context, { owner, form, id });

  const handlers: GeminiBatches = {
    list: whereAllowed(async (caller) => {
      const limit = limitIn(caller.query);
      const found = await listBatches(context, { owner: caller, form }, { limit, after: caller.query.get('pageToken') || undefined });
      const shown = found.slice(0, limit);
      const next = found.length > limit ? shown.at(-1)?.id : undefined;
      return { json: { operations: shown.map((batch) => operationOf(batch)), ...(next === undefined ? {} : { nextPageToken: next }) } };
    }),
    read: whereAllowed(async (caller) => report(services, await batchOf(caller, caller.params['batch'] ?? ''))),
  };
  const act = whereAllowed(async (caller) => {
    const { model: id, verb } = splitVerb(caller.params['batch'] ?? '');
    const batch = await batchOf(caller, id);
    if (verb !== 'cancel') throw new AppError('verb_unknown', { path: caller.path });
    await cancelBatch(services, batch);
    return { json: {} };
  });
  const remove = whereAllowed(async (caller) => {
    const { id, state } = await batchOf(caller, caller.params['batch'] ?? '');
    if (state !== 'ended') throw new AppError('batch_not_ended', { id });
    await context.db.collection('batches').remove({ id, state: 'ended' });
    return { json: {} };
  });
  host.addDirect('GET', '/v1beta/batches', handlers.list);
  host.addDirect('GET', '/v1beta/batches/:batch', handlers.read);
  host.addDirect('POST', '/v1beta/batches/:batch', act);
  host.addDirect('DELETE', '/v1beta/batches/:batch', remove);
  // OpenAI's callers share the path.
  const ofCallers = (work: ServeDirectly): ServeDirectly => {
    return (request, params, connection) => {
      const { pathname, searchParams } = host.facts(request, connection).url;
      if (surfaces.gemini.isSpokenWith(request.headers, searchParams)) return work(request, params, connection);
      return Promise.reject(new AppError('verb_unknown', { path: pathname }));
    };
  };
  host.addDirect('POST', '/v1/batches/:batch', ofCallers(act));
  host.addDirect('DELETE', '/v1/batches/:batch', ofCallers(remove));

  const create = (path: string): ModelVerbs[string] => {
    return (request, model, connection) => {
      const work = whereAllowed(async (caller) => {
        await checkMeans(services, caller.admission);
        const batch = await createBatch(services, caller, readRequest(await caller.readBody(), { model, path }));
        return { json: operationOf(batch) };
      });
      return Promise.resolve(work(request, {}, connection));
    };
  };
  const [answers = '', vectors = ''] = geminiBatches.paths;
  return { verbs: { batchGenerateContent: create(answers), asyncBatchEmbedContent: create(vectors) }, handlers };
}

/** Serves results as files: `files/batch-…`. */
export function batchFiles(services: RelayServices) {
  return ({ file, owner }: { file: string; owner: ObjectOwner }): Promise<DirectResponse> | undefined =>
    file.startsWith(filePrefix) ? serveFile(services, { owner, id: file.slice(filePrefix.length) }) : undefined;
}

/** @throws {AppError} `batch_not_found`, `batch_not_ended` */
async function serveFile(services: RelayServices, { owner, id }: { owner: ObjectOwner; id: string }): Promise<DirectResponse> {
  const { context } = services;
  const batch = await findBatch(context, { owner, form, id });
  if (batch.state !== 'ended') throw new AppError('batch_not_ended', { id });
  const results = resultsOf(services, batch);
  if (results === null) throw new AppError('batch_not_found', { id });
  const open = async () => restoredLines(await results.open(), results.edit);
  return passFile(context, { userId: owner.userId, type: 'application/jsonl', open });
}

/** Returns null if there are none, or the channel is gone. */
function resultsOf({ context, stages: { guard } }: RelayServices, batch: BatchRecord) {
  const [file] = geminiBatches.results(batch);
  if (file === undefined || channelOf(context, batch) === null) return null;
  const named = (line: Buffer) => geminiBatches.restore(line, batch);
  const edit = withoutBlocked(guard, named, ({ message }) => ({ error: { code: 3, message } }), 'key') ?? named;
  return { edit, open: () => file.open(context) };
}

/** Reports the batch, with its results if the requests were inline. */
async function report(services: RelayServices, batch: BatchRecord): Promise<StoredAnswer> {
  const results = batch.state === 'ended' ? resultsOf(services, batch) : null;
  if (results === null) return { json: operationOf(batch) };
  if (batch.input_file !== '') return { json: operationOf(batch, { responsesFile: resultsFileOf(batch) }) };
  const { head, middle, tail } = inParts(batch);
  // Google's SDKs read results in the metadata, other clients in the response.
  const openItems = async () => inlinedResults(await results.open(), results.edit);
  const open = async () => {
    const items = await openItems();
    const copy = services.context.bodies.spool.open(`user:${batch.user_id}`);
    return writtenTwice(items, { head, middle, tail, copy, openAgain: openItems });
  };
  return { response: await passFile(services.context, { userId: batch.user_id, type: jsonType, open }) };
}

/** Operation as JSON, split where the results are inserted. */
function inParts(batch: BatchRecord): { head: Buffer; middle: Buffer; tail: Buffer } {
  const mark = `results of ${batch.id}`;
  const member = isOfVectors(batch) ? 'inlinedEmbedContentResponses' : 'inlinedResponses';
  const text = JSON.stringify(operationOf(batch, { [member]: { inlinedResponses: [mark] } }));
  const [head = '', middle = '', tail = ''] = text.split(JSON.stringify(mark)).map((piece) => Buffer.from(piece));
  return { head: Buffer.from(head), middle: Buffer.from(middle), tail: Buffer.from(tail) };
}

function limitIn(query: URLSearchParams): number {
  const limit = Number(query.get('pageSize') || defaultLimit);
  if (!Number.isInteger(limit) || limit < 1) throw badField('pageSize', fieldRules.wholeBetween(1, largestLimit));
  return Math.min(limit, largestLimit);
}

/** @throws {AppError} `invalid_request` */
function readRequest(body: unknown, { model, path }: { model: string; path: string }): BatchRequest {
  const endpoint = batchEndpoint(geminiBatches, path);
  if (endpoint === undefined) throw new AppError('format_unsupported');
  const given = part(new StrictFields(isObject(body) ? body : {}), 'batch', batchNames);
  const displayName = given.text('displayName') ?? '';
  if (displayName.length > longestName) throw badField(given.path('displayName'), fieldRules.longest(longestName));
  const input = part(given, 'inputConfig', inputNames);
  const name = input.text('fileName');
  const list = name === undefined ? part(input, 'requests', listNames) : undefined;
  const requests = list === undefined ? { file: (name ?? '').replace(/^files\//, '') } : { items: list.list('requests') ?? [] };
  const metadata = JSON.stringify({ displayName: storableText(displayName, longestName) });
  return { form: geminiBatches, endpoint, model: model.replace(/^models\//, ''), requests, window: '24h', seconds: undefined, metadata };
}

const batchNames: ReadonlySet<string> = new Set(['displayName', 'inputConfig', 'model', 'name', 'priority']);
const inputNames: ReadonlySet<string> = new Set(['requests', 'fileName']);
const listNames: ReadonlySet<string> = new Set(['requests']);

/** Reads an object with these members, under their JSON names. */
function part(fields: StrictFields, name: string, known: ReadonlySet<string>): StrictFields {
  const object = new StrictFields(plainNames(fields.plain), fields.path('').slice(0, -1)).object(name);
  if (object === undefined) throw badField(fields.path(name), fieldRules.required);
  const found = new StrictFields(plainNames(object, fields.path(name)), fields.path(name));
  const [other] = found.others(known);
  if (other !== undefined) throw badField(found.path(other.slice(0, 100).replaceAll(/\p{Cc}/gu, '?')), fieldRules.invalid);
  return found;
}
