// `/v1/messages/batches`: https://platform.claude.com/docs/en/api/creating-message-batches
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { withoutBlocked } from '#server/objects/blocked-results.ts';
import { passFile } from '#server/objects/pass-file.ts';
import { restoredLines } from '#server/objects/restored-lines.ts';
import { channelOf } from '#server/objects/upstream-files.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { siteAddress } from '#server/settings/site-address.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import { withoutTrailing } from '#shared/trailing.ts';
import { batchEndpoint } from './batch-endpoints.ts';
import { type BatchesPage, findBatch, listBatches } from './batch-store.ts';
import { cancelBatch } from './cancel-batch.ts';
import { claudeBatches } from './claude-batches.ts';
import { type BatchRequest, createBatch } from './create-batch.ts';
import { createBatchRoutes } from './serve-batches.ts';
import { presentMessageBatch } from './present-batch.ts';

const { name: form } = claudeBatches;
const path = '/v1/messages/batches/:batch';

export function mountMessageBatches(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const add = createBatchRoutes(host, services, surfaces.anthropic);
  // If no site address is set, clients use the host that they called.
  const reported = (batch: BatchRecord) => presentMessageBatch(batch, withoutTrailing(siteAddress(context.settings) ?? '', '/'));
  const batchOf = (caller: StoredCaller) => findBatch(context, { owner: caller, form, id: caller.params['batch'] ?? '' });

  add('POST', '/v1/messages/batches', async (caller) => {
    await checkMeans(services, caller.admission);
    return { json: reported(await createBatch(services, caller, readRequest(await caller.readBody()))) };
  });
  add('GET', '/v1/messages/batches', async (caller) => {
    const page = readPage(caller.query);
    const found = await listBatches(context, { owner: caller, form }, page);
    const shown = found.slice(0, page.limit);
    const data = (page.before === undefined ? shown : shown.toReversed()).map(reported);
    const ends = { first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
    return { json: { data, has_more: found.length > page.limit, ...ends } };
  });
  add('GET', path, async (caller) => ({ json: reported(await batchOf(caller)) }));
  add('POST', `${path}/cancel`, async (caller) => ({ json: reported(await cancelBatch(services, await batchOf(caller))) }));
  add('DELETE', path, async (caller) => {
    const { id } = ended(await batchOf(caller));
    // The provider deletes its copy after 29 days.
    await context.db.collection('batches').remove({ id, state: 'ended' });
    return { json: { id, type: 'message_batch_deleted' } };
  });
  add('GET', `${path}/results`, async (caller) => {
    const batch = ended(await batchOf(caller));
    const [file] = claudeBatches.results(batch);
    if (file === undefined || channelOf(context, batch) === null || batch.upstream_id === '')
      throw new AppError('batch_not_found', { id: batch.id });
    const named = (line: Buffer) => claudeBatches.restore(line, batch);
    const edit =
      withoutBlocked(services.stages.guard, named, ({ message }) => ({ result: { type: 'errored', error: refusal(message) } })) ?? named;
    const open = async () => restoredLines(await file.open(context), edit);
    return { response: await passFile(context, { userId: caller.userId, type: 'application/x-jsonl', open }) };
  });
}

function refusal(message: string): object {
  return { type: 'error', error: { type: 'invalid_request_error', message }, request_id: null };
}

/** @throws {AppError} `batch_not_ended` */
function ended(batch: BatchRecord): BatchRecord {
  if (batch.state !== 'ended') throw new AppError('batch_not_ended', { id: batch.id });
  return batch;
}

/** @throws {AppError} `invalid_request` */
function readRequest(body: unknown): BatchRequest {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  const { requests, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined) throw badField(other.slice(0, 100).replace(/\p{Cc}/gu, '?'), fieldRules.invalid);
  if (!Array.isArray(requests)) throw badField('requests', fieldRules.list);
  const endpoint = batchEndpoint(claudeBatches, '/v1/messages');
  if (endpoint === undefined) throw new AppError('format_unsupported');
  return { form: claudeBatches, endpoint, requests: { items: requests }, window: '24h', seconds: undefined, metadata: '' };
}

const [defaultLimit, largestLimit] = [20, 1000];

/** @throws {AppError} `invalid_request` with the invalid parameter */
function readPage(query: URLSearchParams): BatchesPage {
  const limit = Number(query.get('limit') ?? defaultLimit);
  if (!Number.isInteger(limit) || limit < 1 || limit > largestLimit) throw badField('limit', fieldRules.wholeBetween(1, largestLimit));
  const [after, before] = [query.get('after_id') ?? undefined, query.get('before_id') ?? undefined];
  if (after !== undefined && before !== undefined) throw badField('before_id', fieldRules.invalid);
  return { limit, after, before };
}
