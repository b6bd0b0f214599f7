// Conversation source of Responses calls: loads what they continue and stores the result.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { storesNothing } from '#server/call/admission/admission.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import type { RequestedConversation, CallConversation, ConversationSource } from '#server/call/conversation-source.ts';
import { refuseStored } from '#server/objects/state-fields.ts';
import { type StateRequest, stateRequest } from './state-request.ts';
import type { Follow } from './follow.ts';
import type { BackgroundResponses } from './background.ts';
import { compactionBody } from './compaction.ts';
import type { ConversationStore } from './conversation-store.ts';
import { type HeldConversation, itemsToSend, StatefulCall, type StatefulCallParts } from './stateful-call.ts';
import { createStateReader, type StoredState } from './read-stored-state.ts';
import { newId } from './response-ids.ts';
import { ownerOf, type ResponseStore } from './response-store.ts';

export interface Stores {
  store: ResponseStore;
  conversations: ConversationStore;
  background: BackgroundResponses;
  /**
   * Streams a background response.
   * @throws {AppError} `too_many_background`
   */
  follow: Follow;
}

export function createResponseSource(context: AppContext, { store, conversations, background, follow }: Stores): ConversationSource {
  const isOnFor = ({ caller }: RequestedConversation) => store.isOn && !storesNothing(caller);
  const readStoredState = createStateReader(context, { store, conversations });

  /** Opens a call; if that fails, releases its conversation and memory. */
  async function openCall(call: RequestedConversation, requested: StateRequest): Promise<CallConversation> {
    if (requested.isBackground && !requested.isStored) throw new AppError('background_not_kept', {}, { field: 'background' });
    const userId = call.caller.user.id;
    const hold = context.bodies.open(ownerOf(userId));
    let conversation: HeldConversation | null = null;
    try {
      // The request stays in memory until the result is stored, even after it was sent.
      hold.grow(call.bytes);
      const budget = new PartBudget(0, (bytes) => hold.grow(bytes));
      const stored = await readStoredState(call, requested, { hold, budget });
      conversation = stored.conversation;
      const parts = { context, ...storedParts(call, { requested, stored, isOn: isOnFor(call) }) };
      return new StatefulCall({
        ...parts,
        sent: await itemsToSend(parts, budget),
        store,
        hold,
        id: newId(context, 'resp'),
        background: backgroundOf(call, requested),
      });
    } catch (failure) {
      hold.shrinkTo(0);
      if (conversation !== null) await conversation.conversations.unlock(conversation.record.id, conversation.holder);
      throw failure;
    }
  }

  function backgroundOf({ caller, isAnswered }: RequestedConversation, { isBackground }: StateRequest): StatefulCallParts['background'] {
    if (!isBackground || !isAnswered) return null;
    return { responses: background, stream: (id) => follow({ responseId: id, userId: caller.user.id, after: -1 }) };
  }

  return {
    open(call) {
      const { isCompaction, isAnswered } = call;
      const body = isCompaction ? compactionBody(call.body) : call.body;
      const requested = stateRequest(body);
      const isOn = isOnFor(call);
      if (!isOn) refuseStored(requested);
      const { isStored, previousId, conversationId, isBackground, references, hasCompaction } = requested;
      const isPlain = previousId === undefined && conversationId === undefined && !isBackground && references.length === 0;
      if (isPlain && !hasCompaction && (!isStored || !isAnswered || !isOn)) return null;
      return openCall({ ...call, body }, requested);
    },
  };
}

function storedParts(
  { caller, body, isAnswered, isCompaction, envelope }: RequestedConversation,
  { requested, stored, isOn }: { requested: StateRequest; stored: StoredState; isOn: boolean },
) {
  return { ...stored, ...ownerIn(caller), envelope, isStored: requested.isStored && isAnswered && isOn, body, isCompaction };
}
