// Conversation source of Interactions calls: loads what they continue and stores the result.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { type Admission, storesNothing } from '#server/call/admission/admission.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import type { RequestedConversation, CallConversation, ConversationSource } from '#server/call/conversation-source.ts';
import { readChain } from '#server/slices/responses/read-chain.ts';
import type { Stores } from '#server/slices/responses/response-source.ts';
import { ownerOf } from '#server/slices/responses/response-store.ts';
import { StatefulInteraction } from './stateful-interaction.ts';
import { writeLogged } from './present-interaction.ts';

/** Prefix of interaction ids. */
export const interactionPrefix = 'v1_';
const previousField = 'previous_interaction_id';

export type InteractionStores = Pick<Stores, 'store' | 'background' | 'follow'>;

export function createInteractionSource(context: AppContext, { store, background, follow }: InteractionStores): ConversationSource {
  const isOnFor = (caller: Admission) => store.isOn && !storesNothing(caller);
  const mostBytes = context.env.MAX_REQUEST_BODY_MB * 1_000_000;

  /** Opens a call; if that fails, releases what it holds. */
  async function openCall(call: RequestedConversation, previousId: string | undefined): Promise<CallConversation> {
    const { caller, body, bytes, isAnswered, requestId } = call;
    const isBackground = body['background'] === true && isAnswered;
    const isStored = body['store'] !== false && isAnswered && isOnFor(caller);
    if (isBackground && !isStored) throw new AppError('background_not_kept', {}, { field: 'background' });
    const owner = ownerIn(caller);
    const { userId } = owner;
    const hold = context.bodies.open(ownerOf(userId));
    try {
      // The request stays in memory until the result is stored, even after it was sent.
      hold.grow(bytes);
      const budget = new PartBudget(0, (more) => hold.grow(more));
      const read =
        previousId === undefined ? null : await readChain(store, { owner, id: previousId, mostBytes, isCut: false, hold, budget });
      return new StatefulInteraction({
        context,
        store,
        ...owner,
        id: `${interactionPrefix}${requestId}`,
        isStored,
        body,
        before: read?.items ?? [],
        chain: read?.chain ?? null,
        background: isBackground
          ? { responses: background, stream: (id) => follow({ responseId: id, userId, after: -1, write: writeLogged }) }
          : null,
        hold,
      });
    } catch (failure) {
      hold.shrinkTo(0);
      throw ofInteraction(failure);
    }
  }

  return {
    open(call) {
      const { body, isAnswered } = call;
      const isOn = isOnFor(call.caller);
      const previous = body[previousField];
      const previousId = typeof previous === 'string' ? previous : undefined;
      const isBackground = body['background'] === true;
      if (!isOn && previousId !== undefined) throw notStored(previousField);
      if (!isOn && isBackground) throw notStored('background');
      const isStored = body['store'] !== false && isAnswered && isOn;
      return previousId === undefined && !isBackground && !isStored ? null : openCall(call, previousId);
    },
  };
}

function notStored(field: string): AppError {
  return new AppError('responses_not_kept', { field }, { field });
}

/** Replaces the Responses field in an error by the one of Interactions. */
function ofInteraction(failure: unknown): unknown {
  if (!(failure instanceof AppError) || failure.field !== 'previous_response_id') return failure;
  return new AppError(failure.code, failure.details, { field: previousField });
}
