// Prompt edits that callers request (context management), applied for providers of other formats. Providers of the caller's format apply
// them themselves.
import type { PromptEdits } from '#server/formats/prompt-edits.ts';
import { type CallAttempt, isInCallersFormat } from '#server/call/call-attempt.ts';
import type { ReportedFailure } from '#server/call/relay-failure.ts';
import { replacePrompt } from '#server/call/replace-prompt.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import { estimateTextTokens, mostTokensPerEstimated } from '#server/exchange/token-estimate.ts';

export function promptEditsStage(): CallStage {
  return {
    name: 'prompt-edits',
    applies: ({ kind, promptEdits }) => promptEdits !== undefined && !kind.isCount,
    open({ endpoint, content }) {
      const edits = endpoint.promptEdits?.(content.body) ?? null;
      return edits === null ? null : new RequestedEdits(edits);
    },
  };
}

class RequestedEdits implements StageRun {
  /** Null: the edits are applied. */
  #edits: PromptEdits | null;

  constructor(edits: PromptEdits) {
    this.#edits = edits;
  }

  prepare(call: RunningCall, attempt: CallAttempt): null | Promise<ReportedFailure | null> {
    return this.#edits === null || isInCallersFormat(attempt) ? null : this.#apply(call, this.#edits);
  }

  async #apply(call: RunningCall, edits: PromptEdits): Promise<ReportedFailure | null> {
    const { content, services } = call;
    if (content.isLarge) await content.prepare();
    const tokens = await promptTokens(call, edits);
    const { body, responseFields } = await content.use(() => edits.apply(content.body, tokens, estimateTextTokens));
    this.#edits = null;
    call.responseFields = { ...call.responseFields, ...responseFields };
    if (body === null || call.stop.reason !== undefined) return null;
    services.context.ledger.release(call.reserved.reservation);
    return replacePrompt(call, () => body);
  }
}

function promptTokens({ content, endpoint, model, reserved, admission }: RunningCall, { trigger }: PromptEdits): number | Promise<number> {
  const { prompt } = reserved;
  if (trigger === null || prompt.expected * mostTokensPerEstimated < trigger) return prompt.expected;
  return content.countPrompt({ endpoint, model, estimate: prompt.tokens }, { owner: admission.user.id, isEstimated: false });
}
