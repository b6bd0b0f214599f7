// Reads the stored state that a Responses call refers to: previous responses, a conversation, items by id.
import { type ObjectOwner, ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { jsonSize, partBytes } from '#server/framing/part-budget.ts';
import type { RequestedConversation } from '#server/call/conversation-source.ts';
import { isReference } from '#server/objects/state-fields.ts';
import type { StateRequest } from './state-request.ts';
import { sinceCompaction } from './compaction.ts';
import type { ConversationStore } from './conversation-store.ts';
import { isCompaction, type Item, itemsOf } from './items.ts';
import type { HeldConversation } from './stateful-call.ts';
import { readChain } from './read-chain.ts';
import type { Chain, ResponseStore } from './response-store.ts';
import { type Reading, writeToStore } from './sealed-json.ts';

/** Maximum references of a request, each of which is a read. */
const mostReferences = 500;

/** A summary replaces all earlier items. */
const isStart = (items: readonly Item[]) => items.some(isCompaction);

/** Stored state of a call. */
export interface StoredState {
  /** Items of the history. */
  before: readonly Item[];
  /** Input of the call, with references resolved. */
  input: readonly Item[];
  chain: Chain | null;
  conversation: HeldConversation | null;
}

/**
 * Creates the reader. `hold` grows by the bytes that are read; on failure, its opener releases it. The caller must unlock
 * the returned conversation.
 */
export function createStateReader(
  { env }: Pick<AppContext, 'env'>,
  { store, conversations }: { store: ResponseStore; conversations: ConversationStore },
) {
  const mostBytes = env.MAX_REQUEST_BODY_MB * 1_000_000;

  /** Locks and reads the conversation. Token counts take no lock. */
  async function holdConversation(
    owner: ObjectOwner,
    { conversationId }: StateRequest,
    { input, isAnswered, reading }: { input: readonly Item[]; isAnswered: boolean; reading: Reading },
  ): Promise<{ items: Item[]; conversation: HeldConversation | null } | null> {
    if (conversationId === undefined) return null;
    if (!isAnswered)
      return { items: await conversations.itemsOf(await conversations.find(owner, conversationId), reading), conversation: null };
    const { record, holder } = await conversations.lock(owner, conversationId);
    try {
      conversations.checkSize(record, (await writeToStore(input)).bytes, input.length);
      return { items: await conversations.itemsOf(record, reading), conversation: { conversations, record, holder } };
    } catch (failure) {
      await conversations.unlock(conversationId, holder);
      throw failure;
    }
  }

  /** Replaces references by their items. */
  async function resolved(owner: ObjectOwner, items: readonly Item[], { hold, budget }: Reading): Promise<readonly Item[]> {
    const ids = items.filter(isReference).map(({ id }) => id);
    if (ids.length === 0) return items;
    if (ids.length > mostReferences) throw new AppError('conversation_too_long');
    const found = await store.readItems(owner, ids, { mostBytes, budget });
    hold.grow(lengthOf(ids, found, mostBytes));
    return items.map((item) => (isReference(item) ? (found.get(item.id) ?? item) : item));
  }

  /** @throws {AppError} for missing objects */
  return async function readStoredState(
    { caller, body, bytes, isAnswered }: RequestedConversation,
    requested: StateRequest,
    reading: Reading,
  ): Promise<StoredState> {
    const owner = ownerIn(caller);
    const isCut = body['truncation'] === 'auto';
    const { previousId } = requested;
    const read = previousId === undefined ? null : await readChain(store, { owner, id: previousId, mostBytes, isCut, isStart, ...reading });
    const input = await resolved(owner, itemsOf(body['input']), reading);
    const held = await holdConversation(owner, requested, { input, isAnswered, reading });
    const all = read?.items ?? held?.items ?? [];
    const before = sinceCompaction(all);
    if (before.length < all.length) {
      const text = JSON.stringify([before, input]);
      reading.hold.shrinkTo(bytes + text.length + jsonSize(text).parts * partBytes);
    }
    return { before, input, chain: read?.chain ?? null, conversation: held?.conversation ?? null };
  };
}

/**
 * Returns the bytes of referenced items as JSON; an item counts once per reference.
 * @throws {AppError} `conversation_too_long`
 */
function lengthOf(ids: readonly string[], found: ReadonlyMap<string, Item>, mostBytes: number): number {
  const lengths = new Map<string, number>();
  let left = mostBytes;
  for (const id of ids) {
    const length = lengths.get(id) ?? JSON.stringify(found.get(id) ?? null).length;
    lengths.set(id, length);
    left -= length;
    if (left < 0) throw new AppError('conversation_too_long');
  }
  return mostBytes - left;
}
