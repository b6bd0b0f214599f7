// `/v1/conversations`: https://platform.openai.com/docs/api-reference/conversations
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { openaiMetadata, readMetadata } from '#server/formats/metadata.ts';
import { StrictFields, badField } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ConversationStore } from './conversation-store.ts';
import { type Item, itemsOf } from './items.ts';
import { readPage } from '#server/objects/list-items.ts';
import type { ResponseStore } from './response-store.ts';
import { createServer, type StoredCaller } from '#server/objects/serve-caller.ts';

/** Maximum items per request. */
const mostItems = 20;

export function mountConversations(
  host: RouteHost,
  services: RelayServices,
  stores: { store: ResponseStore; conversations: ConversationStore },
): void {
  const { store, conversations } = stores;
  const serveOne = createServer(host, services);
  const path = '/v1/conversations/:conversation';
  const add = (method: string, at: string, work: (caller: StoredCaller, id: string) => Promise<object | string[]>) =>
    host.addDirect(
      method,
      at,
      serveOne(async (caller) => {
        if (!store.isOn) throw new AppError('responses_not_kept', { field: 'conversation' }, { field: 'conversation' });
        const reported = await work(caller, caller.params['conversation'] ?? '');
        return Array.isArray(reported) ? { pieces: reported } : { json: reported };
      }),
    );

  add('POST', '/v1/conversations', async (caller) => {
    // Storing is free, but requires a balance.
    await checkMeans(services, caller.admission);
    const fields = await fieldsOf(caller);
    return conversations.create(caller, { items: givenItems(fields), metadata: metadataOf(fields) ?? {} });
  });
  add('GET', path, async (caller, id) => conversations.present(await conversations.find(caller, id)));
  add('POST', path, async (caller, id) => conversations.update(caller, id, metadataOf(await fieldsOf(caller)) ?? {}));
  add('DELETE', path, async (caller, id) => {
    await conversations.remove(caller, id);
    return { id, object: 'conversation.deleted', deleted: true };
  });
  add('GET', `${path}/items`, async (caller, id) => {
    caller.makeRoom((await conversations.find(caller, id)).bytes);
    return conversations.list(caller, id, readPage(caller.query));
  });
  add('POST', `${path}/items`, async (caller, id) => {
    await checkMeans(services, caller.admission);
    const items = givenItems(await fieldsOf(caller));
    if (items.length === 0) throw badField('items', fieldRules.required);
    return conversations.add(caller, id, items);
  });
  add('GET', `${path}/items/:item`, async (caller, id) => {
    caller.makeRoom((await conversations.find(caller, id)).bytes);
    return [await conversations.item(caller, id, caller.params['item'] ?? '')];
  });
  add('DELETE', `${path}/items/:item`, (caller, id) => conversations.removeItem(caller, id, caller.params['item'] ?? ''));
}

async function fieldsOf(caller: StoredCaller): Promise<StrictFields> {
  const body = await caller.readBody();
  if (!isObject(body)) throw badField('body', fieldRules.object);
  return new StrictFields(body);
}

/** @throws {AppError} `invalid_request` */
function givenItems(fields: StrictFields): Item[] {
  const items = fields.objects('items');
  if (items.length > mostItems) throw badField('items', fieldRules.atMost(mostItems));
  for (const item of items) if (!item.has('type') && !item.has('role')) throw badField(item.path('type'), fieldRules.required);
  return itemsOf(fields.raw('items'));
}

/** @throws {AppError} `invalid_request` */
function metadataOf(fields: StrictFields): Readonly<Record<string, unknown>> | undefined {
  return readMetadata(fields, 'metadata', openaiMetadata);
}
