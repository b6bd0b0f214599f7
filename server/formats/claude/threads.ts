// Reads `thread`, which continues a stored conversation. The gateway stores it, not a channel's account, because the next
// turn may use another channel or vendor. https://platform.claude.com/docs/en/api/beta/messages/create
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { fieldRules } from '#shared/field-rules.ts';

export interface ThreadRequest {
  /** Id of the message to continue; undefined if a new thread begins. */
  previousId: string | undefined;
}

/**
 * Returns null if the request has no thread.
 * @throws {AppError} `invalid_request` with the field at fault
 */
export function threadOf(body: Body): ThreadRequest | null {
  const thread = new StrictFields(body).fields('thread');
  if (thread === undefined) return null;
  const type = thread.oneOf('type', ['create', 'continue']);
  if (type === undefined) throw badField('thread.type', fieldRules.required);
  return { previousId: type === 'create' ? undefined : thread.requiredText('previous_message_id') };
}
