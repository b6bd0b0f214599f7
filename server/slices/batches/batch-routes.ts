// `/v1/batches`: https://platform.openai.com/docs/api-reference/batch
import { fieldRules } from '#shared/field-rules.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { listOf, readPage } from '#server/objects/list-items.ts';
import { batchEndpoint } from './batch-endpoints.ts';
import { metadataIn } from '#server/objects/metadata-field.ts';
import { findBatch, listBatches } from './batch-store.ts';
import { cancelBatch } from './cancel-batch.ts';
import { type BatchRequest, createBatch } from './create-batch.ts';
import type { GeminiBatches } from './gemini-routes.ts';
import { openaiBatches } from './openai-batches.ts';
import { createBatchRoutes } from './serve-batches.ts';
import { presentBatch } from './present-batch.ts';

export function mountBatches(host: RouteHost, services: RelayServices, gemini: GeminiBatches): void {
  const { context } = services;
  const add = createBatchRoutes(host, services, surfaces.openai);

  add('POST', '/v1/batches', async (caller) => {
    await checkMeans(services, caller.admission);
    return { json: presentBatch(await createBatch(services, caller, readRequest(await caller.readBody()))) };
  });
  add(
    'GET',
    '/v1/batches',
    async (caller) => {
      const page = readPage(caller.query);
      const found = await listBatches(context, { owner: caller, form }, page);
      return { json: listOf(found.slice(0, page.limit).map(presentBatch), found.length > page.limit) };
    },
    { surface: surfaces.gemini, serve: gemini.list },
  );
  add(
    'GET',
    '/v1/batches/:batch',
    async (caller) => ({
      json: presentBatch(await findBatch(context, { owner: caller, form, id: caller.params['batch'] ?? '' })),
    }),
    { surface: surfaces.gemini, serve: gemini.read },
  );
  add('POST', '/v1/batches/:batch/cancel', async (caller) => {
    const batch = await findBatch(context, { owner: caller, form, id: caller.params['batch'] ?? '' });
    return { json: presentBatch(await cancelBatch(services, batch)) };
  });
}

const { name: form } = openaiBatches;
const known: ReadonlySet<string> = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after']);
const windows = ['24h'];

/** @throws {AppError} `invalid_request` */
function readRequest(body: unknown): BatchRequest {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  for (const name of Object.keys(body))
    if (!known.has(name)) throw badField(name.slice(0, 100).replace(/\p{Cc}/gu, '?'), fieldRules.invalid);
  const fields = new StrictFields(body);
  const file = fields.requiredText('input_file_id');
  const endpoint = batchEndpoint(openaiBatches, fields.requiredText('endpoint'));
  if (endpoint === undefined) throw badField('endpoint', fieldRules.oneOf(openaiBatches.paths));
  const window = fields.requiredText('completion_window');
  if (!windows.includes(window)) throw badField('completion_window', fieldRules.oneOf(windows));
  return { form: openaiBatches, endpoint, requests: { file }, window, seconds: secondsIn(fields), metadata: metadataIn(fields) };
}

/** The vendor's limits, in seconds. */
const lifetimes = { least: 3600, most: 2_592_000 };

function secondsIn(fields: StrictFields): number | undefined {
  const reported = fields.object('output_expires_after');
  if (reported === undefined) return undefined;
  const own = new StrictFields(reported, 'output_expires_after');
  if (own.text('anchor') !== 'created_at') throw badField(own.path('anchor'), fieldRules.oneOf(['created_at']));
  return own.integer('seconds', lifetimes.least, lifetimes.most);
}
