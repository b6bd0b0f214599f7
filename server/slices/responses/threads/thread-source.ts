// Conversation source of Claude's threads: loads what a turn continues and stores the result.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { storesNothing } from '#server/call/admission/admission.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import type { RequestedConversation, CallConversation, ConversationSource } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { Item } from '#server/slices/responses/items.ts';
import { readChain } from '#server/slices/responses/read-chain.ts';
import { newId } from '#server/slices/responses/response-ids.ts';
import { ownerOf, type ResponseStore } from '#server/slices/responses/response-store.ts';
import { StatefulThread } from './stateful-thread.ts';

/** Prefix of message ids. */
export const messagePrefix = 'msg_';

/** Fields set at a thread's creation, stored before the first message. */
const lasting = ['system', 'tools'] as const;
const lastingType = 'thread_fields';

const { threadOf } = clientDialects.claude;

export function createThreadSource(context: AppContext, store: ResponseStore): ConversationSource {
  const mostBytes = context.env.MAX_REQUEST_BODY_MB * 1_000_000;

  /** Opens a call; if that fails, releases what it holds. */
  async function openCall({ caller, body, bytes }: RequestedConversation, previousId: string | undefined): Promise<CallConversation> {
    const owner = ownerIn(caller);
    const { userId } = owner;
    const hold = context.bodies.open(ownerOf(userId));
    try {
      // The request stays in memory until the result is stored, even after it was sent.
      hold.grow(bytes);
      const added = messagesOf(body);
      const { thread: _thread, ...rest } = body;
      const shared = { context, store, ...owner, id: newId(context, 'msg'), hold };
      if (previousId === undefined) return new StatefulThread({ ...shared, body: rest, input: [lastingOf(body), ...added], chain: null });
      const budget = new PartBudget(0, (more) => hold.grow(more));
      const { items, chain } = await readChain(store, { owner, id: previousId, mostBytes, isCut: false, hold, budget });
      const [first, ...before] = items;
      const created = first?.['type'] === lastingType ? first : {};
      checkSame(body, created);
      const whole = { ...rest, ...fieldsIn(created), messages: [...before, ...added] };
      return new StatefulThread({ ...shared, body: whole, input: added, chain });
    } catch (failure) {
      hold.shrinkTo(0);
      throw ofThread(failure, previousId);
    }
  }

  return {
    open(call) {
      const requested = threadOf(call.body);
      if (requested === null) return null;
      if (!store.isOn || storesNothing(call.caller)) throw new AppError('threads_not_kept', {}, { field: 'thread' });
      return openCall(call, requested.previousId);
    },
  };
}

function messagesOf({ messages }: RelayBody): Item[] {
  return Array.isArray(messages) ? messages.filter(isObject) : [];
}

function lastingOf(body: RelayBody): Item {
  return { type: lastingType, ...fieldsIn(body) };
}

function fieldsIn(created: RelayBody): Record<string, unknown> {
  return Object.fromEntries(lasting.flatMap((name) => (isPresent(created[name]) ? [[name, created[name]]] : [])));
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** @throws {AppError} `thread_mismatch` */
function checkSame(body: RelayBody, created: RelayBody): void {
  const other = lasting.find((name) => isPresent(body[name]) && JSON.stringify(body[name]) !== JSON.stringify(created[name]));
  if (other !== undefined) throw new AppError('thread_mismatch', { field: other }, { field: other });
}

/** Replaces the error of Responses by the one of threads. */
function ofThread(failure: unknown, id: string | undefined): unknown {
  if (!(failure instanceof AppError) || failure.code !== 'previous_response_not_found') return failure;
  return new AppError('thread_not_found', { id: (id ?? '').slice(0, 100) }, { field: 'thread.previous_message_id' });
}
