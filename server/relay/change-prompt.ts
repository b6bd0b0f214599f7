// What a caller asks to be done to the prompt, where the provider does not do it.
import type { CallAttempt } from '#server/relay/call-attempt.ts';
import { editFor } from '#server/relay/edit-prompt.ts';
import type { ToldFailure } from '#server/relay/relay-failure.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { isCarriedAt, shortenFor } from '#server/relay/shorten-call.ts';
import type { AnswerWhole } from '#server/relay/shorten-call.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** Before an attempt. What is returned is told the caller, and the call holds no money then; null: it goes on. */
export async function changePrompt(call: RunningCall, attempt: CallAttempt, answer: AnswerWhole): Promise<ToldFailure | null> {
  const { edits } = call;
  const refused = edits === null ? null : await editFor(call, attempt, edits);
  const { shortening } = call;
  return refused !== null || shortening === null ? refused : await shortenFor(call, attempt, { shortening, answer });
}

/** Whether its caller would hear from there what was done here. */
export function mayTell(call: RunningCall, channel: PreparedChannel): boolean {
  return !call.isTranslated || !isCarriedAt(call, channel);
}
