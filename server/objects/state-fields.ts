// State that a request of the Responses API refers to.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';

export interface StateFields {
  /** Whether to store the response. */
  isStored: boolean;
  previousId: string | undefined;
  conversationId: string | undefined;
  isBackground: boolean;
  /** Indexes of input items that are references. */
  references: readonly number[];
}

/** Reads the fields of a body that has passed the endpoint's `check`. */
export function stateFields(body: Readonly<Record<string, unknown>>): StateFields {
  const { store, previous_response_id: previous, conversation, background, input } = body;
  return {
    isStored: store !== false,
    previousId: typeof previous === 'string' ? previous : undefined,
    conversationId: typeof conversation === 'string' ? conversation : isObject(conversation) ? String(conversation.id) : undefined,
    isBackground: background === true,
    references: Array.isArray(input) ? input.flatMap((item: unknown, index) => (isReference(item) ? [index] : [])) : [],
  };
}

/** Reports whether the item is a reference: its type may be absent if it has no role. */
export function isReference(item: unknown): item is { id: string } {
  return isObject(item) && (item.type === 'item_reference' || ((item.type ?? undefined) === undefined && item.role === undefined));
}

/**
 * Rejects state fields if the response store is disabled.
 * @throws {AppError} `responses_not_kept`
 */
export function refuseStored({ previousId, conversationId, isBackground, references }: StateFields): void {
  if (previousId !== undefined) throw notStored('previous_response_id');
  if (conversationId !== undefined) throw notStored('conversation');
  if (isBackground) throw notStored('background');
  const [reference] = references;
  if (reference !== undefined) throw notStored(`input.${reference}.type`);
}

function notStored(field: string): AppError {
  return new AppError('responses_not_kept', { field }, { field });
}
