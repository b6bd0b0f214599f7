// Routes of stored responses.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import { bufferResponse, eventStreamHeaders } from '#server/http/lean-response.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RelayServices } from '#server/call/services.ts';
import { eventWithIncludes, readIncludes, withIncludes } from './includes.ts';
import { pageOf, readPage } from '#server/objects/list-items.ts';
import { streamOf } from './response-events.ts';
import type { Stores } from './response-source.ts';
import { writeEvent } from './present-response.ts';
import { createServer, type StoredCaller } from '#server/objects/serve-caller.ts';

export function mountResponses(
  host: RouteHost,
  services: RelayServices,
  { store, background, follow }: Pick<Stores, 'store' | 'background' | 'follow'>,
): void {
  const serve = createServer(host, services);
  const path = '/v1/responses/:response';

  const recordOf = async (caller: StoredCaller): Promise<StoredResponseRecord> => {
    const id = caller.params['response'] ?? '';
    const record = await background.find(caller, id);
    if (record === null) throw new AppError('response_not_found', { id });
    return record;
  };

  host.addDirect(
    'GET',
    path,
    serve(async (caller) => {
      const includes = readIncludes(caller.query);
      const record = await recordOf(caller);
      const isStream = isTrue(caller.query, 'stream');
      const after = isStream ? startingAfter(caller.query) : undefined;
      if (isStream && record.is_background === true)
        return {
          response: follow({
            responseId: record.id,
            userId: record.user_id,
            after: after ?? -1,
            write: (event) => writeEvent(eventWithIncludes(event, includes)),
          }),
        };
      caller.makeRoom(record.bytes, record.parts);
      const response = withIncludes(await store.responseIn(record), includes);
      if (!isStream) return { json: response };
      const stream = streamOf(response, after);
      return { response: bufferResponse(200, { ...eventStreamHeaders }, stream) };
    }),
  );
  host.addDirect(
    'DELETE',
    path,
    serve(async (caller) => {
      const id = caller.params['response'] ?? '';
      // A running response is cancelled first.
      if ((await store.find(caller, id))?.place !== undefined) await background.cancel(caller, id);
      if (!(await store.remove(caller, id))) throw new AppError('response_not_found', { id });
      return { json: { id, object: 'response', deleted: true } };
    }),
  );
  host.addDirect(
    'GET',
    `${path}/input_items`,
    serve(async (caller) => {
      const page = readPage(caller.query);
      const record = await recordOf(caller);
      caller.makeRoom(record.bytes, record.parts);
      return { json: pageOf((await store.itemsIn(record)).slice(0, record.input_count), page) };
    }),
  );
  host.addDirect(
    'POST',
    `${path}/cancel`,
    serve(async (caller) => {
      const { id, is_background: isBackground, place } = await recordOf(caller);
      if (isBackground !== true) throw new AppError('response_not_background');
      const record = place === undefined ? await store.find(caller, id) : await background.cancel(caller, id);
      if (record === null) throw new AppError('response_not_found', { id });
      caller.makeRoom(record.bytes, record.parts);
      return { json: await store.responseIn(record) };
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
  if (!/^\d{1,15}$/.test(text)) throw badField('starting_after', fieldRules.integer);
  return Number(text);
}
