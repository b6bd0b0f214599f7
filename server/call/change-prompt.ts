// What a caller asks to be done to the prompt, where the provider does not do it.
import type { CallAttempt } from '#server/call/call-attempt.ts';
import { editFor } from '#server/call/edit-prompt.ts';
import type { ReportedFailure } from '#server/call/relay-failure.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { shortenFor } from '#server/call/shorten-call.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

/** Before an attempt. What is returned is told the caller, and the call holds no money then; null: it goes on. */
export async function changePrompt(call: RunningCall, attempt: CallAttempt): Promise<ReportedFailure | null> {
  const { edits } = call;
  const refused = edits === null ? null : await editFor(call, attempt, edits);
  const { shortening } = call;
  return refused !== null || shortening === null ? refused : await shortenFor(call, attempt, shortening);
}

/** Whether the response of that route can tell its caller what was done here. */
export function mayReport({ isTranslated }: RunningCall, { identity }: ChannelRoute): boolean {
  return !isTranslated || identity === null;
}
