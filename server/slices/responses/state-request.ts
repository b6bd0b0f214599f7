// What a Responses request says of things that are kept.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { isSealedHere } from './compaction.ts';
import { thresholdIn } from './shortening.ts';
import type { RelayBody } from '#server/call/endpoints.ts';

export interface StateRequest {
  /** The response is to be kept. */
  isStored: boolean;
  previousId: string | undefined;
  conversationId: string | undefined;
  isBackground: boolean;
  /** Places in the input of items that stand for others. */
  references: readonly number[];
  /** It ends with a summary, goes on from one of ours, or may need one. */
  hasCompaction: boolean;
}

/** Only for a body that its endpoint's `check` let pass. */
export function stateRequest(body: RelayBody): StateRequest {
  const { store, previous_response_id: previous, conversation, background, input } = body;
  return {
    isStored: store !== false,
    previousId: typeof previous === 'string' ? previous : undefined,
    conversationId: typeof conversation === 'string' ? conversation : isObject(conversation) ? String(conversation.id) : undefined,
    isBackground: background === true,
    hasCompaction: thresholdIn(body) !== undefined || (Array.isArray(input) && input.some((item) => isSealedHere(item) || isTrigger(item))),
    references: Array.isArray(input) ? input.flatMap((item: unknown, index) => (isReference(item) ? [index] : [])) : [],
  };
}

function isTrigger(item: unknown): boolean {
  return isObject(item) && item.type === 'compaction_trigger';
}

/** The type may be left out where nothing but an id is there. */
export function isReference(item: unknown): item is { id: string } {
  return isObject(item) && (item.type === 'item_reference' || ((item.type ?? undefined) === undefined && item.role === undefined));
}

/** Nothing is kept: what speaks of it is refused by its name. @throws {AppError} `responses_not_kept` */
export function refuseState({ previousId, conversationId, isBackground, references }: StateRequest): void {
  if (previousId !== undefined) throw notStored('previous_response_id');
  if (conversationId !== undefined) throw notStored('conversation');
  if (isBackground) throw notStored('background');
  const [reference] = references;
  if (reference !== undefined) throw notStored(`input.${reference}.type`);
}

function notStored(field: string): AppError {
  return new AppError('responses_not_kept', { field }, { field });
}
