// Conversations: lists of items, extended by responses and by their owner, one writer at a time. Items are written
// first and become visible when the record's end is moved; leftovers of a dead process are removed before the next
// addition, or with the conversation.
import { type ObjectOwner, ofOwner, ownerFields } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Write } from '#server/db/database.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { completeItems, isCompaction, type Item } from './items.ts';
import { type ItemsPage, listOf, listPieces } from '#server/objects/list-items.ts';
import { isFree } from './holdings.ts';
import { readItems, readPieces } from './read-parts.ts';
import { removeItems } from './remove-items.ts';
import { itemId, newId } from './response-ids.ts';
import { ownerOf, type ResponseStore } from './response-store.ts';
import { createPauses, openJson, openText, parseStored, type Reading, sealJson, sealPieces, writeToStore } from './sealed-json.ts';
import { storedIds, WritesAhead } from './writes-ahead.ts';

/** Time without renewal after which a lock expires. */
export const lockMs = 60_000;
/** Maximum items of a conversation. */
const mostItems = 10_000;

export class ConversationStore {
  readonly #context: AppContext;
  readonly #store: ResponseStore;

  constructor(context: AppContext, store: ResponseStore) {
    this.#context = context;
    this.#store = store;
  }

  get #records() {
    return this.#context.db.collection('conversations');
  }

  get #items() {
    return this.#context.db.collection('conversation_items');
  }

  get #mostBytes(): number {
    return this.#context.env.MAX_REQUEST_BODY_MB * 1_000_000;
  }

  /** @throws {AppError} `conversation_not_found` */
  async find(owner: ObjectOwner, id: string): Promise<ConversationRecord> {
    const record = await this.#records.first({ id, ...ofOwner(owner), expires_at: { gt: this.#now() } });
    if (record === null) throw new AppError('conversation_not_found', { id });
    return record;
  }

  async create(owner: ObjectOwner, { items, metadata }: { items: readonly Item[]; metadata: object }): Promise<object> {
    const id = newId(this.#context, 'conv');
    const [sealed] = await sealJson(this.#context, ownerOf(owner.userId), JSON.stringify(metadata));
    const empty = {
      id,
      ...ownerFields(owner),
      created_at: this.#now(),
      expires_at: this.#store.expiry(),
      metadata: sealed,
      end: 0,
      bytes: 0,
      parts: 0,
    };
    const holder = this.#context.randomText(16);
    // A long conversation is inserted as expired, so that only the sweep sees it until it is complete.
    const begun = { ...empty, expires_at: this.#now(), locked_by: holder, locked_until: this.#context.now() + lockMs };
    const ready = async (isFirst: boolean) => {
      if (!isFirst) return this.#isRenewed(id, holder);
      await this.#context.db.write([{ insert: begun, into: 'conversations' }]);
      return true;
    };
    const { writes, end, bytes, parts, isAhead } = await this.#additions(empty, items, ready);
    const record = { ...empty, end, bytes, parts };
    const set = { end, bytes, parts, expires_at: empty.expires_at };
    const last: Write = isAhead
      ? { patch: { set, unset: ['locked_by', 'locked_until'] }, of: 'conversations', where: { id, locked_by: holder } }
      : { insert: record, into: 'conversations' };
    if ((await this.#context.db.write([...writes, last])).at(-1) !== true) throw new AppError('conversation_not_found', { id });
    await this.#store.holdings.added(owner.userId, { count: 1, bytes });
    return this.present(record);
  }

  async present({ id, user_id: userId, created_at, metadata }: ConversationRecord): Promise<object> {
    return { id, object: 'conversation', created_at, metadata: await openJson(this.#context, ownerOf(userId), [metadata]) };
  }

  /** @throws {AppError} `conversation_not_found` */
  async update(owner: ObjectOwner, id: string, metadata: object): Promise<object> {
    const [sealed] = await sealJson(this.#context, ownerOf(owner.userId), JSON.stringify(metadata));
    const changed = await this.#records.patch({ id, ...ofOwner(owner) }, { set: { metadata: sealed, expires_at: this.#store.expiry() } });
    if (changed === null) throw new AppError('conversation_not_found', { id });
    return this.present(changed);
  }

  /**
   * Deletes a conversation with its items. If a response to it is being generated, the response adds nothing.
   * @throws {AppError} `conversation_not_found`
   */
  async remove(owner: ObjectOwner, id: string): Promise<void> {
    const record = await this.#records.take({ id, ...ofOwner(owner) });
    if (record === null) throw new AppError('conversation_not_found', { id });
    await removeItems(this.#context, { conversation_id: id });
    await this.#store.holdings.removed(owner.userId, { count: 1, bytes: record.bytes });
  }

  /**
   * Locks a conversation until it is unlocked or the lock expires.
   * @throws {AppError} `conversation_not_found`, `conversation_locked`
   */
  async lock(owner: ObjectOwner, id: string): Promise<{ record: ConversationRecord; holder: string }> {
    const now = this.#context.now();
    const free = isFree(this.#context);
    const holder = this.#context.randomText(16);
    const mine: Filter<ConversationRecord> = { and: [{ id, ...ofOwner(owner), expires_at: { gt: this.#now() } }, free] };
    const record = await this.#records.patch(mine, { set: { locked_by: holder, locked_until: now + lockMs } });
    if (record !== null) return { record, holder };
    await this.find(owner, id);
    throw new AppError('conversation_locked', {}, { retryAfter: 2 });
  }

  async renew(id: string, holder: string): Promise<void> {
    await this.#isRenewed(id, holder);
  }

  /** Returns false if another call holds the lock, or the conversation is deleted. */
  async #isRenewed(id: string, holder: string): Promise<boolean> {
    return (await this.#records.patch({ id, locked_by: holder }, { set: { locked_until: this.#context.now() + lockMs } })) !== null;
  }

  async isHeld(id: string, holder: string): Promise<boolean> {
    return (await this.#records.get(id))?.locked_by === holder;
  }

  async unlock(id: string, holder: string): Promise<void> {
    await this.#records.patch({ id, locked_by: holder }, { unset: ['locked_by', 'locked_until'] });
  }

  /** Writes that add items and release the lock; most of a long addition is written in advance. */
  async addition(
    record: ConversationRecord,
    holder: string,
    items: readonly Item[],
  ): Promise<{ writes: Write[]; bytes: number; items: Item[] }> {
    await removeItems(this.#context, { conversation_id: record.id, position: { gte: record.end } });
    const ready = () => this.#isRenewed(record.id, holder);
    const { writes, end, bytes, parts, isShortened, added } = await this.#additions(record, items, ready);
    const since = isShortened ? { set: { parts }, increment: {} } : { set: {}, increment: record.parts === undefined ? {} : { parts } };
    const grown: Write = {
      patch: {
        set: { ...since.set, end, expires_at: this.#store.expiry() },
        increment: { ...since.increment, bytes },
        unset: ['locked_by', 'locked_until'],
      },
      of: 'conversations',
      where: { id: record.id, locked_by: holder },
    };
    return { writes: [...writes, grown], bytes, items: added };
  }

  /** @throws {AppError} `conversation_not_found`, `conversation_locked`, `conversation_too_long` */
  async add(owner: ObjectOwner, id: string, items: readonly Item[]): Promise<object> {
    const { record, holder } = await this.lock(owner, id);
    try {
      this.checkSize(record, (await writeToStore(items)).bytes, items.length);
      const { writes, bytes, items: added } = await this.addition(record, holder, items);
      await this.#context.db.write(writes);
      await this.#store.holdings.added(owner.userId, { count: 0, bytes });
      return listOf(added, false);
    } finally {
      await this.unlock(id, holder);
    }
  }

  /** @throws {AppError} `conversation_too_long` */
  checkSize({ bytes, end }: ConversationRecord, more: number, items: number): void {
    if (bytes + more > this.#mostBytes || end + items > mostItems) throw new AppError('conversation_too_long');
  }

  /**
   * Returns the items since the last summary; all items if the records are too old to mark summaries.
   * @throws {AppError} `conversation_too_long`, `body_too_complex`, `bodies_of_caller`
   */
  async itemsOf(record: ConversationRecord, { hold, budget }: Reading): Promise<Item[]> {
    if (record.bytes > this.#mostBytes) throw new AppError('conversation_too_long');
    if ((record.parts ?? 0) > budget.left) throw new AppError('body_too_complex');
    // Memory for the stored and the parsed form.
    hold.grow(record.bytes * 2);
    const counted: ConversationItemRecord[] = [];
    for await (const row of readItems(this.#context, { conversation_id: record.id, position: { lt: record.end } }, -1)) {
      counted.push(row);
      if (row.is_summary === true) break;
    }
    counted.reverse();
    // Nothing is decrypted unless everything fits.
    if (counted.reduce((sum, { parts = 0 }) => sum + parts, 0) > budget.left) throw new AppError('body_too_complex');
    const items: Item[] = [];
    const pause = createPauses();
    for (const row of counted) {
      const item = await parseStored(this.#context, ownerOf(record.user_id), await this.#text(record.user_id, row), budget);
      items.push(isObject(item) ? item : {});
      await pause();
    }
    hold.shrinkTo(hold.bytes - record.bytes);
    return items;
  }

  /**
   * Returns the JSON of a page, in pieces, with the items as stored.
   * @throws {AppError} as `find`; 400 for an unknown `after`
   */
  async list(owner: ObjectOwner, id: string, { limit, isAscending, after }: ItemsPage): Promise<string[]> {
    const record = await this.find(owner, id);
    let from = -1;
    let to = record.end;
    if (after !== undefined) {
      const last = await this.#items.get(`${id}:${after}`);
      if (last === null) throw badField('after', fieldRules.invalid);
      if (isAscending) from = last.position;
      else to = Math.min(to, last.position);
    }
    const rows: ConversationItemRecord[] = [];
    for await (const row of readItems(this.#context, { conversation_id: id, position: { gt: from, lt: to } }, isAscending ? 1 : -1)) {
      rows.push(row);
      if (rows.length > limit) break;
    }
    const page = rows.slice(0, limit);
    const texts: string[] = [];
    const pause = createPauses();
    for (const row of page) {
      texts.push(await this.#text(owner.userId, row));
      await pause();
    }
    const idOf = (row: ConversationItemRecord | undefined) => row?.id.slice(`${id}:`.length);
    return listPieces(texts, { first: idOf(page[0]), last: idOf(page.at(-1)), hasMore: rows.length > limit });
  }

  /**
   * Returns the JSON of an item.
   * @throws {AppError} `conversation_not_found`, `response_item_not_found`
   */
  async item(owner: ObjectOwner, id: string, wanted: string): Promise<string> {
    const record = await this.find(owner, id);
    const row = await this.#items.get(`${id}:${wanted}`);
    if (row === null || row.position >= record.end) throw new AppError('response_item_not_found', { id: wanted });
    return this.#text(owner.userId, row);
  }

  /** @throws {AppError} as `item` */
  async removeItem(owner: ObjectOwner, id: string, wanted: string): Promise<object> {
    const record = await this.find(owner, id);
    const row = await this.#items.get(`${id}:${wanted}`);
    if (row === null || row.position >= record.end) throw new AppError('response_item_not_found', { id: wanted });
    // Of two concurrent deletions, only the one that removes the row subtracts its bytes.
    if ((await this.#items.take({ id: row.id })) === null) throw new AppError('response_item_not_found', { id: wanted });
    if (row.pieces !== undefined) await this.#context.db.collection('response_pieces').remove({ response_id: row.id });
    const parts = record.parts === undefined || row.parts === undefined ? {} : { parts: -row.parts };
    await this.#records.patch({ id }, { increment: { ...parts, bytes: -row.bytes } });
    await this.#store.holdings.removed(owner.userId, { count: 0, bytes: row.bytes });
    return this.present(record);
  }

  /**
   * Prepares the writes of new items.
   * @param ready called before a write in advance; if it returns false, nothing more is written
   */
  async #additions(
    { id, user_id: userId, end }: Pick<ConversationRecord, 'id' | 'user_id' | 'end'>,
    items: readonly Item[],
    ready: (isFirst: boolean) => Promise<boolean>,
  ) {
    const named = completeItems(items, id, end);
    const taken = await storedIds(
      this.#context,
      named.map((item) => `${id}:${String(item['id'])}`),
    );
    const ahead = new WritesAhead(this.#context, ready);
    const pause = createPauses();
    const added: Item[] = [];
    let bytes = 0;
    let parts = 0;
    let isShortened = false;
    for (const [index, item] of named.entries()) {
      const position = end + index;
      const key = `${id}:${String(item['id'])}`;
      // A duplicate gets another id.
      const unique = taken.has(key) ? { ...item, id: itemId(item['type'], id, position) } : item;
      taken.add(key);
      const written = await writeToStore(unique);
      bytes += written.bytes;
      const isSummary = isCompaction(unique);
      if (isSummary) [parts, isShortened] = [0, true];
      parts += written.parts;
      added.push(unique);
      const row = {
        id: `${id}:${String(unique['id'])}`,
        conversation_id: id,
        position,
        bytes: written.bytes,
        parts: written.parts,
        ...(isSummary ? { is_summary: true } : {}),
      };
      await ahead.addItem(row, sealPieces(this.#context, ownerOf(userId), written.body));
      await pause();
    }
    return { writes: ahead.left, isAhead: ahead.isAhead, added, bytes, parts, isShortened, end: end + named.length };
  }

  #text(userId: number, { id, content, pieces }: ConversationItemRecord): Promise<string> {
    const more = pieces === undefined ? [] : readPieces(this.#context, { response_id: id, kind: 'items' });
    return openText(this.#context, ownerOf(userId), [content], more);
  }

  #now(): number {
    return Math.floor(this.#context.now() / 1000);
  }
}
