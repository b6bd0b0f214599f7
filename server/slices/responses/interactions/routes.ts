// Routes of stored interactions, under both version prefixes, because Google's SDKs use either.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { bufferResponse, eventStreamHeaders } from '#server/http/lean-response.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createServer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { streamOfFinished } from './finished-events.ts';
import type { InteractionStores } from './interaction-source.ts';
import { asInteraction, writeLogged } from './present-interaction.ts';

export function mountInteractions(host: RouteHost, services: RelayServices, { store, background, follow }: InteractionStores): void {
  const serve = createServer(host, services, surfaces.interactions);

  const recordOf = async (caller: StoredCaller): Promise<StoredResponseRecord> => {
    const id = caller.params['interaction'] ?? '';
    const record = await background.find(caller, id);
    if (record === null) throw new AppError('response_not_found', { id });
    return record;
  };

  const read = serve(async (caller) => {
    const record = await recordOf(caller);
    const isStream = caller.query.get('stream') === 'true';
    const after = isStream ? lastSeen(caller.query) : undefined;
    if (isStream && record.is_background === true)
      return { response: follow({ responseId: record.id, userId: record.user_id, after: after ?? -1, write: writeLogged }) };
    caller.makeRoom(record.bytes, record.parts);
    const interaction = asInteraction(await store.responseIn(record));
    if (isStream) return { response: bufferResponse(200, { ...eventStreamHeaders }, streamOfFinished(interaction, after)) };
    if (caller.query.get('include_input') !== 'true') return { json: interaction };
    return { json: { ...interaction, input: (await store.itemsIn(record)).slice(0, record.input_count) } };
  });

  const remove = serve(async (caller) => {
    const id = caller.params['interaction'] ?? '';
    // A running interaction is cancelled first.
    if ((await store.find(caller, id))?.place !== undefined) await background.cancel(caller, id);
    if (!(await store.remove(caller, id))) throw new AppError('response_not_found', { id });
    return { json: {} };
  });

  const cancel = serve(async (caller) => {
    const { id, is_background: isBackground, place } = await recordOf(caller);
    if (isBackground !== true) throw new AppError('response_not_background');
    const record = place === undefined ? await store.find(caller, id) : await background.cancel(caller, id);
    if (record === null) throw new AppError('response_not_found', { id });
    caller.makeRoom(record.bytes, record.parts);
    return { json: asInteraction(await store.responseIn(record)) };
  });

  for (const path of ['/v1/interactions/:interaction', '/v1beta/interactions/:interaction']) {
    host.addDirect('GET', path, read);
    host.addDirect('DELETE', path, remove);
    host.addDirect('POST', `${path}/cancel`, cancel);
  }
}

/**
 * Parses an event number.
 * @throws {AppError} `invalid_request`
 */
function lastSeen(query: URLSearchParams): number | undefined {
  const text = query.get('last_event_id');
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badField('last_event_id', fieldRules.integer);
  return Number(text);
}
