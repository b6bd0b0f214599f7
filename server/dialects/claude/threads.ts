// Conversations that Anthropic holds between turns, in the channel's account. https://platform.claude.com/docs/en/api/beta/messages/create
// The next turn may go to another channel or another vendor, and everybody who shares the key could go on from it.
import { AppError } from '#shared/errors.ts';
import type { Body } from '../strict-fields.ts';

/** @throws {AppError} `threads_not_kept` */
export function refuseThread({ thread }: Body): void {
  if (thread !== undefined && thread !== null) throw new AppError('threads_not_kept', {}, { field: 'thread' });
}

/** What the official packages know such a refusal by: they send the whole conversation then. */
export const unsupportedThread = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };
