// Compacts a long conversation before an attempt at a provider that cannot: a nested call, which is reserved, settled and
// logged like any other, requests a summary from the model, and the summary replaces the conversation.
import type { Shortening, ShortenedPrompt } from '#server/formats/prompt-edits.ts';
import type { AppContext } from '#server/context.ts';
import { type CallAttempt, isInCallersFormat } from '#server/call/call-attempt.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { type ReportedFailure, reportEnd } from '#server/call/relay-failure.ts';
import { replacePrompt } from '#server/call/replace-prompt.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { mostTokensPerEstimated } from '#server/exchange/token-estimate.ts';
import { answerWithin } from './answer-within.ts';
import { createStoredSummaries, type PaidSummary, type StoredSummaries, summaryKey } from './stored-summaries.ts';

export function compactionStage(context: Pick<AppContext, 'now'>): CallStage {
  const summaries = createStoredSummaries(context);
  return {
    name: 'compaction',
    applies: ({ kind, shortening, refersToStored }) => !kind.isCount && (shortening !== undefined || refersToStored !== undefined),
    open({ conversation, endpoint, content }) {
      const shortening = conversation?.shortening ?? endpoint.shortening?.(content.body) ?? null;
      return shortening === null ? null : new Compaction(shortening, summaries);
    },
  };
}

class Compaction implements StageRun {
  readonly #summaries: StoredSummaries;
  /** Null after the length was checked once. */
  #shortening: Shortening | null;
  /** Paid summary in the prompt. If this call fails, it is cached for the caller's retry. */
  #summary: PaidSummary | undefined;
  /** The response must report the compaction, so routes that pass the response through (`identity`) are skipped. */
  #isReported = false;

  constructor(shortening: Shortening, summaries: StoredSummaries) {
    this.#shortening = shortening;
    this.#summaries = summaries;
  }

  fitsRoute({ identity }: ChannelRoute): boolean {
    return !this.#isReported || identity === null;
  }

  prepare(call: RunningCall, attempt: CallAttempt): null | Promise<ReportedFailure | null> {
    return this.#shortening === null || isInCallersFormat(attempt) ? null : this.#compact(call, attempt, this.#shortening);
  }

  unanswered(): void {
    if (this.#summary === undefined) return;
    this.#summaries.store(this.#summary);
    this.#summary = undefined;
  }

  async #compact(call: RunningCall, { record }: CallAttempt, shortening: Shortening): Promise<ReportedFailure | null> {
    const { content, services } = call;
    if (content.isLarge) await content.prepare();
    const request = (await exceeds(call, shortening.threshold)) ? shortening.request(content.body) : null;
    this.#shortening = null;
    if (request === null) {
      if (call.stop.reason === undefined) content.replace(shortening.shorten(content.body, null).body);
      return null;
    }
    // An account with a low balance may have reserved all of it, and the summary needs a reservation.
    services.context.ledger.release(call.reserved.reservation);
    const { asAnswer } = shortening;
    if (asAnswer !== undefined) return replacePrompt(call, () => this.#bodyOf(call, { body: request, responseFields: asAnswer }));
    const answered = await this.#summaryOf(call, request);
    // The attempt's time begins after the summary.
    record.start_ms = elapsed(call);
    if (call.stop.reason !== undefined) return reportEnd(call, { reason: call.stop.reason });
    if ('error' in answered) return answered;
    return replacePrompt(call, () => {
      const shortened = shortening.shorten(content.body, answered.body);
      // A summary that replaces nothing is no use to the next call either.
      if (shortened.isShorter !== true) this.#summary = undefined;
      return this.#bodyOf(call, shortened);
    });
  }

  /** Returns the cached summary, if the user paid for it in a call that failed; else requests one. */
  async #summaryOf(call: RunningCall, request: RelayBody): Promise<{ body: Buffer } | ReportedFailure> {
    const requested = { userId: call.admission.user.id, key: summaryKey(call.model, request) };
    const stored = this.#summaries.take(requested);
    if (stored !== undefined) {
      this.#summary = stored;
      return { body: stored.answer };
    }
    const answered = await answerWithin(call, request);
    if (!('error' in answered)) this.#summary = { ...requested, answer: answered.body };
    return answered;
  }

  #bodyOf(call: RunningCall, { body, responseFields }: ShortenedPrompt): RelayBody {
    if (responseFields !== undefined) {
      call.responseFields = { ...call.responseFields, ...responseFields };
      this.#isReported = true;
    }
    return body;
  }
}

async function exceeds(
  { content, endpoint, model, reserved: { prompt }, admission }: RunningCall,
  threshold: number | null,
): Promise<boolean> {
  if (threshold === null) return true;
  if (prompt.expected * mostTokensPerEstimated < threshold) return false;
  const counting = { owner: admission.user.id, isEstimated: false };
  return (await content.countPrompt({ endpoint, model, estimate: prompt.tokens }, counting)) > threshold;
}
