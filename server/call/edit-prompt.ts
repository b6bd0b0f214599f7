// Changes of its prompt that a caller asks for, before an attempt at a provider that does not make them itself.
import type { PromptEdits } from '#server/formats/prompt-edits.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { ReportedFailure } from '#server/call/relay-failure.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { goOnWith, isCarriedBy } from '#server/call/shorten-call.ts';
import { estimateTextTokens, mostTokensPerEstimated } from '#server/exchange/token-estimate.ts';

/** At most once for a call. What is returned is told the caller, and the call holds no money then; null: it goes on. */
export async function editFor(call: RunningCall, { route }: CallAttempt, edits: PromptEdits): Promise<ReportedFailure | null> {
  const { content, services } = call;
  if (isCarriedBy(route)) return null;
  if (content.isLarge) await content.prepare();
  const tokens = await promptTokens(call, edits);
  const { body, responseFields } = await content.use(() => edits.apply(content.body, tokens, estimateTextTokens));
  call.edits = null;
  call.responseFields = { ...call.responseFields, ...responseFields };
  if (body === null || call.stopped !== undefined) return null;
  services.context.ledger.release(call.reserved.reservation);
  return goOnWith(call, () => body);
}

function promptTokens({ content, endpoint, model, reserved, admission }: RunningCall, { trigger }: PromptEdits): number | Promise<number> {
  const { prompt } = reserved;
  if (trigger === null || prompt.expected * mostTokensPerEstimated < trigger) return prompt.expected;
  return content.countPrompt({ endpoint, model, estimate: prompt.tokens }, { owner: admission.user.id, isEstimated: false });
}
