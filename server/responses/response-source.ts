// Where calls of Responses get their conversations from, and who keeps what comes of them.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { AskedConversation, CallConversation, ConversationSource } from '#server/relay/conversation-source.ts';
import { askedState, isReference, refuseState } from './asked-state.ts';
import type { AskedState } from './asked-state.ts';
import type { Follow } from './follow.ts';
import { itemsOf } from './items.ts';
import type { Item } from './items.ts';
import type { BackgroundResponses } from './background.ts';
import { compactionBody, sinceCompaction } from './compaction.ts';
import type { ConversationStore } from './conversation-store.ts';
import { KeptCall } from './kept-call.ts';
import type { HeldConversation, KeptCallParts } from './kept-call.ts';
import { readChain } from './read-chain.ts';
import { newId } from './response-ids.ts';
import type { ResponseStore } from './response-store.ts';

/** References of one request: each is a read. */
const mostReferences = 500;

export interface Stores {
  store: ResponseStore;
  conversations: ConversationStore;
  background: BackgroundResponses;
  /** The stream of a response that goes on. @throws {AppError} `too_many_background` */
  follow: Follow;
}

export function createResponseSource(context: AppContext, { store, conversations, background, follow }: Stores): ConversationSource {
  const mostBytes = context.env.MAX_REQUEST_BODY_MB * 1_000_000;

  async function openCall(
    { caller, body, isAnswered, isCompaction, envelope }: AskedConversation,
    asked: AskedState,
  ): Promise<CallConversation> {
    const userId = caller.user.id;
    if (asked.isBackground && !asked.isKept) throw new AppError('background_not_kept', {}, { field: 'background' });
    const isCut = body['truncation'] === 'auto';
    const { previousId, isKept } = asked;
    const read = previousId === undefined ? null : await readChain(context, store, { userId, id: previousId, mostBytes, isCut });
    const input = await resolved(userId, itemsOf(body['input']));
    const held = await holdConversation(userId, asked, { input, isAnswered });
    const before = read?.items ?? held?.items ?? [];
    return keptCall({
      context,
      store,
      userId,
      envelope,
      id: newId(context, 'resp'),
      isKept: isKept && isAnswered && store.isOn,
      body,
      input,
      before: sinceCompaction(before),
      isCompaction,
      chain: read?.chain ?? null,
      conversation: held?.conversation ?? null,
      background:
        asked.isBackground && isAnswered ? { responses: background, stream: (id) => follow({ responseId: id, userId, after: -1 }) } : null,
    });
  }

  /** Whoever only counts takes no lock. */
  async function holdConversation(
    userId: number,
    { conversationId }: AskedState,
    { input, isAnswered }: { input: readonly Item[]; isAnswered: boolean },
  ): Promise<{ items: Item[]; conversation: HeldConversation | null } | null> {
    if (conversationId === undefined) return null;
    if (!isAnswered) return { items: await conversations.itemsOf(await conversations.find(userId, conversationId)), conversation: null };
    const { record, holder } = await conversations.lock(userId, conversationId);
    try {
      conversations.checkRoom(record, JSON.stringify(input).length, input.length);
      return { items: await conversations.itemsOf(record), conversation: { conversations, record, holder } };
    } catch (failure) {
      await conversations.unlock(conversationId, holder);
      throw failure;
    }
  }

  /** Items that stand for others, as what they stand for. */
  async function resolved(userId: number, items: readonly Item[]): Promise<readonly Item[]> {
    const ids = items.filter(isReference).map(({ id }) => id);
    if (ids.length === 0) return items;
    if (ids.length > mostReferences) throw new AppError('conversation_too_long');
    const found = await store.readItems(userId, ids, mostBytes);
    checkLength(ids, found, mostBytes);
    return items.map((item) => (isReference(item) ? (found.get(item.id) ?? item) : item));
  }

  return {
    open(call) {
      const { isCompaction, isAnswered } = call;
      const body = isCompaction ? compactionBody(call.body) : call.body;
      const asked = askedState(body);
      if (!store.isOn) refuseState(asked);
      const { isKept, previousId, conversationId, isBackground, references, hasCompaction } = asked;
      const isPlain = previousId === undefined && conversationId === undefined && !isBackground && references.length === 0;
      if (isPlain && !hasCompaction && (!isKept || !isAnswered || !store.isOn)) return null;
      return openCall({ ...call, body }, asked);
    },
  };
}

/** An item that is named many times is there as many times. @throws {AppError} `conversation_too_long` */
function checkLength(ids: readonly string[], found: ReadonlyMap<string, Item>, mostBytes: number): void {
  const lengths = new Map<string, number>();
  let left = mostBytes;
  for (const id of ids) {
    const length = lengths.get(id) ?? JSON.stringify(found.get(id) ?? null).length;
    lengths.set(id, length);
    left -= length;
    if (left < 0) throw new AppError('conversation_too_long');
  }
}

/** Nobody closes what could not be made: its conversation is let go. @throws {AppError} as `KeptCall` */
async function keptCall(parts: KeptCallParts): Promise<KeptCall> {
  try {
    return new KeptCall(parts);
  } catch (failure) {
    const { conversation } = parts;
    if (conversation !== null) await conversation.conversations.unlock(conversation.record.id, conversation.holder);
    throw failure;
  }
}
