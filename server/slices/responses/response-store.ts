// Stores responses: written atomically, readable by their owner only.
import { type ObjectOwner, ofOwner, ownerFields } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Patch } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { StoredResponseRecord, ResponseStatus } from '#server/db/records/stored-response.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { jsonSize, type PartBudget } from '#server/framing/part-budget.ts';
import { createHoldings, type Holdings, removeResponse } from './holdings.ts';
import { isCompaction, type Item } from './items.ts';
import { readNewest, readPieces } from './read-parts.ts';
import { holderOf } from './response-ids.ts';
import { openJson, openText, parseStored, sealJson, sealPieces, writeToStore, type WrittenJson } from './sealed-json.ts';
import type { Json } from './present-response.ts';

/** Responses that a response continues. */
export interface Chain {
  /** Ids, newest first; the oldest may be missing. */
  previous: readonly string[];
  count: number;
  bytes: number;
  /** `chain_parts` of the newest response; undefined if unknown. */
  parts: number | undefined;
}

export interface ResponseToStore {
  /** The presented response, with id, status and output. */
  response: Json;
  userId: number;
  /** As in `ObjectOwner`. */
  memberId?: number | undefined;
  input: readonly Item[];
  chain: Chain | null;
}

/** End of a response whose call is about to be settled. */
export interface StoredEnding {
  requestId: string;
  /** Last events, of which the final one contains the response. */
  events: readonly Json[];
  /** Conversation to add the response to, with the lock that this requires. */
  conversation: { id: string; holder: string } | null;
}

/** Maximum earlier ids in a record; they are read in one query. */
const knownPrevious = 64;
const daySeconds = 86_400;

export class ResponseStore {
  readonly holdings: Holdings;
  readonly #context: AppContext;
  readonly #prefix: string;

  /** @param prefix prefix of the ids issued: each format has its own */
  constructor(context: AppContext, prefix = 'resp_') {
    this.#context = context;
    this.#prefix = prefix;
    this.holdings = createHoldings(context);
  }

  get isOn(): boolean {
    return this.#context.settings.get('ResponseStoreEnabled');
  }

  get #responses() {
    return this.#context.db.collection('responses');
  }

  /** Returns the expiry, in unix seconds, of an object used now. */
  expiry(): number {
    return Math.floor(this.#context.now() / 1000) + this.#context.settings.get('ResponseRetentionDays') * daySeconds;
  }

  /** Stores a response; all of it or nothing becomes readable. */
  async insert(stored: ResponseToStore): Promise<void> {
    const { record, rest } = await this.recordOf(stored);
    await this.#context.db.write([...rest, { insert: record, into: 'responses' }]);
    await this.holdings.added(stored.userId, { count: 1, bytes: record.bytes });
  }

  /** Returns the record, and the writes that must precede it. */
  async recordOf({ response, userId, memberId, input, chain }: ResponseToStore): Promise<{ record: StoredResponseRecord; rest: Write[] }> {
    const { output: reported, ...shell } = response;
    const output = Array.isArray(reported) ? reported.filter(isObject) : [];
    const id = String(response['id']);
    const itemsJson = await writeToStore([...input, ...output]);
    const shellText = JSON.stringify(shell);
    const chainParts = chainPartsOf([...input, ...output], itemsJson.parts, chain);
    const expiresAt = this.expiry();
    const version = this.#context.randomText(12);
    const [items, moreItems] = await this.#sealItems(ownerOf(userId), itemsJson, { id, version, kind: 'items', expiresAt });
    const [sealed, ...moreResponse] = await sealJson(this.#context, ownerOf(userId), shellText);
    const inPieces = moreItems + moreResponse.length > 0;
    const rest: Write[] = [
      ...piecesOf({ id, version, kind: 'response', expiresAt }, moreResponse),
      ...output.flatMap((item): Write[] => {
        if (typeof item['id'] !== 'string') return [];
        const row = { id: `${userId}:${item['id']}`, response_id: id, expires_at: expiresAt };
        return [{ insert: row, into: 'response_items', ignoreConflict: true }];
      }),
    ];
    const record: StoredResponseRecord = {
      id,
      ...ownerFields({ userId, memberId }),
      created_at: Math.floor(this.#context.now() / 1000),
      expires_at: expiresAt,
      status: statusOf(response['status']),
      previous: [...(chain?.previous ?? [])].slice(0, knownPrevious),
      previous_count: chain?.count ?? 0,
      chain_bytes: (chain?.bytes ?? 0) + itemsJson.bytes,
      ...(chainParts === undefined ? {} : { chain_parts: chainParts }),
      bytes: itemsJson.bytes + shellText.length,
      parts: itemsJson.parts + jsonSize(shellText).parts,
      items,
      input_count: input.length,
      response: sealed,
      ...(moreItems === 0 ? {} : { items_pieces: moreItems }),
      ...(moreResponse.length === 0 ? {} : { response_pieces: moreResponse.length }),
      ...(inPieces ? { pieces_version: version } : {}),
    };
    return { record, rest };
  }

  /**
   * Returns the first piece and the number of others. The others are written one by one, to bound memory and each step
   * of the event loop. They are unreachable until the record is written; without one, the sweep removes them.
   */
  async #sealItems(owner: string, { body }: WrittenJson, of: Pieces): Promise<[string, number]> {
    let first: string | undefined;
    let more = 0;
    for await (const piece of sealPieces(this.#context, owner, body)) {
      if (first === undefined) {
        first = piece;
        continue;
      }
      await this.#context.db.write(piecesOf(of, [piece], more));
      more += 1;
    }
    return [first ?? '', more];
  }

  /** Returns the change of a background response's record, and the writes that must precede it. Idempotent. */
  async ended(stored: ResponseToStore): Promise<{ rest: Write[]; patch: Patch<StoredResponseRecord>; bytes: number }> {
    const { record, rest } = await this.recordOf(stored);
    const { status, items, input_count, response, bytes, chain_bytes, parts, chain_parts, items_pieces, response_pieces, pieces_version } =
      record;
    const pieces = { items_pieces, response_pieces, pieces_version };
    const unset = (['items_pieces', 'response_pieces', 'pieces_version'] as const).filter((name) => pieces[name] === undefined);
    const set = {
      status,
      items,
      input_count,
      response,
      bytes,
      chain_bytes,
      ...(parts === undefined ? {} : { parts }),
      ...(chain_parts === undefined ? {} : { chain_parts }),
      ...(items_pieces === undefined ? {} : { items_pieces }),
      ...(response_pieces === undefined ? {} : { response_pieces }),
      ...(pieces_version === undefined ? {} : { pieces_version }),
    };
    return { rest, patch: { set, unset: ['place', 'alive_until', 'settling', ...unset] }, bytes };
  }

  /** Removes the pieces of a record that was replaced. */
  async removeVersion({ id, pieces_version: version }: StoredResponseRecord): Promise<void> {
    if (version !== undefined) await this.#context.db.collection('response_pieces').remove({ response_id: id, version });
  }

  /** Returns the writes that store the end of a response before its call is settled. */
  async storeEnding({ id, user_id: userId, expires_at }: StoredResponseRecord, ending: StoredEnding): Promise<Write[]> {
    const { requestId, ...sealed } = ending;
    const contents = await sealJson(this.#context, ownerOf(userId), JSON.stringify(sealed));
    const version = this.#context.randomText(12);
    const settling = { request_id: requestId, process: this.#context.ledger.processId, pieces: contents.length };
    return [
      ...piecesOf({ id, version: `ending-${version}`, kind: 'ending', expiresAt: expires_at }, contents),
      { patch: { set: { settling, has_ending: 1 } }, of: 'responses', where: { id, alive_until: { exists: true } } },
    ];
  }

  /** Returns the stored end of a response that was being settled; null if it is missing or incomplete. */
  async endingIn({ id, user_id: userId, settling }: StoredResponseRecord): Promise<Pick<StoredEnding, 'events' | 'conversation'> | null> {
    if (settling === undefined) return null;
    const pieces = this.#context.db.collection('response_pieces');
    const rows = await pieces.find({ response_id: id, kind: 'ending' }, { sort: [['number', 1]], limit: settling.pieces });
    const sealed = rows.map(({ content }) => content);
    const ending = sealed.length < settling.pieces ? null : await openJson(this.#context, ownerOf(userId), sealed);
    if (!isObject(ending) || !Array.isArray(ending.events)) return null;
    const { conversation } = ending;
    const isIn = isObject(conversation) && typeof conversation.id === 'string' && typeof conversation.holder === 'string';
    return {
      events: ending.events.filter(isObject),
      conversation: isIn ? { id: String(conversation.id), holder: String(conversation.holder) } : null,
    };
  }

  /** Removes the temporary copy of an end that is stored. */
  async removeEnding(id: string): Promise<void> {
    await this.#context.db.collection('response_pieces').remove({ response_id: id, kind: 'ending' });
    await this.#responses.patch({ id }, { unset: ['has_ending'] });
  }

  /** Finds a response of the owner; null if there is none. */
  find(owner: ObjectOwner, id: string): Promise<StoredResponseRecord | null> {
    if (!id.startsWith(this.#prefix)) return Promise.resolve(null);
    return this.#responses.first({ id, ...ofOwner(owner), expires_at: { gt: Math.floor(this.#context.now() / 1000) } });
  }

  /** Finds the responses among the ids, including expired ones, in any order. */
  findAll(owner: ObjectOwner, ids: readonly string[]): Promise<StoredResponseRecord[]> {
    return this.#responses.find({ id: { in: ids }, ...ofOwner(owner) }, { limit: ids.length });
  }

  /**
   * Returns the input items, then the output items.
   * @param budget as in `parseStored`
   */
  async itemsIn(record: StoredResponseRecord, budget?: PartBudget): Promise<Item[]> {
    return this.itemsOf(record, await this.itemsTextIn(record), budget);
  }

  /** Returns the JSON of the items as stored. */
  async itemsTextIn(record: StoredResponseRecord): Promise<string> {
    return readNewest(this.#responses, record, (newest) => this.#textIn(newest, 'items'));
  }

  /** @param text result of `itemsTextIn` */
  async itemsOf({ user_id: userId }: StoredResponseRecord, text: string, budget?: PartBudget): Promise<Item[]> {
    const items = await parseStored(this.#context, ownerOf(userId), text, budget);
    return Array.isArray(items) ? items.filter(isObject) : [];
  }

  /** Returns the response as its caller saw it. */
  responseIn(record: StoredResponseRecord): Promise<Json> {
    return readNewest(this.#responses, record, async (newest) => {
      const shell = await parseStored(this.#context, ownerOf(newest.user_id), await this.#textIn(newest, 'response'));
      const items = await this.itemsOf(newest, await this.#textIn(newest, 'items'));
      return { ...(isObject(shell) ? shell : {}), status: newest.status, output: items.slice(newest.input_count) };
    });
  }

  /**
   * Finds items by id in any responses of the owner, with all items of those responses.
   * @throws {AppError} `response_item_not_found`, `conversation_too_long`, `body_too_complex`
   */
  async readItems(
    owner: ObjectOwner,
    ids: readonly string[],
    { mostBytes, budget }: { mostBytes: number; budget: PartBudget },
  ): Promise<Map<string, Item>> {
    const { userId } = owner;
    const found = new Map<string, Item>();
    const keys = ids.map((id) => `${userId}:${id}`);
    const rows = await this.#context.db.collection('response_items').find({ id: { in: keys } }, { limit: ids.length });
    const responseOf = new Map(rows.map((row) => [row.id.slice(`${userId}:`.length), row.response_id]));
    let left = mostBytes;
    for (const id of ids) {
      if (found.has(id)) continue;
      const record = await this.#recordWith(owner, id, responseOf.get(id));
      if (record !== null) {
        left -= record.bytes;
        if (left < 0) throw new AppError('conversation_too_long');
        if ((record.parts ?? 0) > budget.left) throw new AppError('body_too_complex');
        for (const item of await this.itemsIn(record, budget)) if (typeof item['id'] === 'string') found.set(item['id'], item);
      }
      if (!found.has(id)) throw new AppError('response_item_not_found', { id }, { field: 'input' });
    }
    return found;
  }

  /** Finds the response that contains an item. */
  async #recordWith(owner: ObjectOwner, itemId: string, responseId: string | undefined): Promise<StoredResponseRecord | null> {
    if (responseId !== undefined) return this.find(owner, responseId);
    const digits = holderOf(itemId);
    return digits === null ? null : this.#responses.first({ ...ofOwner(owner), id: { startsWith: `resp_${digits}` } });
  }

  /** Returns false if the owner has no such response. */
  async remove(owner: ObjectOwner, id: string): Promise<boolean> {
    const record = id.startsWith(this.#prefix) ? await this.#responses.take({ id, ...ofOwner(owner) }) : null;
    if (record === null) return false;
    await removeResponse(this.#context, id);
    await this.holdings.removed(owner.userId, { count: 1, bytes: record.bytes });
    return true;
  }

  #textIn(record: StoredResponseRecord, kind: 'items' | 'response'): Promise<string> {
    return openText(this.#context, ownerOf(record.user_id), [record[kind]], this.#piecesIn(record, kind));
  }

  /** @throws {AppError} `response_not_found` if some are missing */
  async *#piecesIn(record: StoredResponseRecord, kind: 'items' | 'response'): AsyncGenerator<string> {
    const { id, pieces_version: version } = record;
    let left = record[`${kind}_pieces`] ?? 0;
    if (left === 0) return;
    for await (const piece of readPieces(this.#context, { response_id: id, kind, version: version ?? { exists: false } })) {
      yield piece;
      left -= 1;
      if (left === 0) return;
    }
    throw new AppError('response_not_found', { id });
  }
}

/**
 * Computes `chain_parts`; undefined if unknown.
 * @param added parts of the items
 */
function chainPartsOf(items: readonly Item[], added: number, chain: Chain | null): number | undefined {
  const last = items.findLastIndex(isCompaction);
  if (last >= 0) return jsonSize(JSON.stringify(items.slice(last))).parts;
  if (chain === null) return added;
  return chain.parts === undefined ? undefined : chain.parts + added;
}

/** Key of a user for memory holds and for turns of long work. */
export function ownerOf(userId: number): string {
  return `user:${userId}`;
}

interface Pieces {
  id: string;
  version: string;
  kind: ResponsePartRecord['kind'];
  expiresAt: number;
}

/**
 * Returns the writes of the pieces of one text; idempotent.
 * @param before number of preceding pieces
 */
function piecesOf({ id, version, kind, expiresAt }: Pieces, contents: readonly string[], before = 0): Write[] {
  return contents.map((content, index) => {
    const number = before + index;
    const row = { id: `${id}:${kind}:${version}:${number}`, response_id: id, kind, number, content, version, expires_at: expiresAt };
    return { insert: row, into: 'response_pieces', ignoreConflict: true };
  });
}

const statuses: readonly ResponseStatus[] = ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'];

export function statusOf(status: unknown): ResponseStatus {
  return statuses.find((known) => known === status) ?? 'completed';
}
