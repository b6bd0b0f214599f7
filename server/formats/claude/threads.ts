// Conversations that are held between turns (`thread`): by us, never in the account of a channel, because the next turn may go to another
// one or to another vendor. https://platform.claude.com/docs/en/api/beta/messages/create
import { badField, StrictFields } from '../strict-fields.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { Body } from '../strict-fields.ts';

/** What the next turn goes on from; undefined: the thread begins. */
export interface ThreadRequest {
  previousId: string | undefined;
}

/** Null: nothing is to be held. @throws {AppError} `invalid_request` with the field at fault */
export function threadOf(body: Body): ThreadRequest | null {
  const thread = new StrictFields(body).fields('thread');
  if (thread === undefined) return null;
  const type = thread.oneOf('type', ['create', 'continue']);
  if (type === undefined) throw badField('thread.type', fieldRules.required);
  return { previousId: type === 'create' ? undefined : thread.requiredText('previous_message_id') };
}

/** What the official packages know refusals by: they send the whole conversation then. */
export const threadDetails: Readonly<Record<string, object>> = {
  threads_not_kept: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  thread_not_found: { error_code: 'thread_not_found' },
  thread_mismatch: { error_code: 'thread_fingerprint_mismatch' },
};
