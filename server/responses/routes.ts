// What is asked of responses that are kept.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { KeptResponseRecord } from '#server/db/records/kept-response.ts';
import { bufferResponse, eventStreamHeaders } from '#server/http/lean-response.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RelayServices } from '#server/relay/services.ts';
import { badQuery, pageOf, readPage } from './list-items.ts';
import { streamOf } from './response-events.ts';
import type { ResponseStore } from './response-store.ts';
import { createServer } from './serve-caller.ts';
import type { KeptCaller } from './serve-caller.ts';

export function mountResponses(host: RouteHost, services: RelayServices, store: ResponseStore): void {
  const serve = createServer(host, services);
  const path = '/v1/responses/:response';

  const recordOf = async ({ userId, params }: KeptCaller): Promise<KeptResponseRecord> => {
    const id = params['response'] ?? '';
    const record = await store.find(userId, id);
    if (record === null) throw new AppError('response_not_found', { id });
    return record;
  };

  host.addDirect(
    'GET',
    path,
    serve(async (caller) => {
      const record = await recordOf(caller);
      const response = await store.responseIn(record);
      if (!isTrue(caller.query, 'stream')) return { json: response };
      const stream = streamOf(response, startingAfter(caller.query));
      return { response: bufferResponse(200, { ...eventStreamHeaders }, stream) };
    }),
  );
  host.addDirect(
    'DELETE',
    path,
    serve(async ({ userId, params }) => {
      const id = params['response'] ?? '';
      if (!(await store.remove(userId, id))) throw new AppError('response_not_found', { id });
      return { json: { id, object: 'response', deleted: true } };
    }),
  );
  host.addDirect(
    'GET',
    `${path}/input_items`,
    serve(async (caller) => {
      const page = readPage(caller.query);
      const record = await recordOf(caller);
      return { json: pageOf((await store.itemsIn(record)).slice(0, record.input_count), page) };
    }),
  );
  host.addDirect(
    'POST',
    `${path}/cancel`,
    serve(async (caller) => {
      await recordOf(caller);
      throw new AppError('response_not_background');
    }),
  );
}

function isTrue(query: URLSearchParams, name: string): boolean {
  return query.get(name) === 'true';
}

/** @throws {AppError} `invalid_request` */
function startingAfter(query: URLSearchParams): number | undefined {
  const text = query.get('starting_after');
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badQuery('starting_after', fieldRules.integer);
  return Number(text);
}
