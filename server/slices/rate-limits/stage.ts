// Rate limits of calls: of the options `ModelRequestRateLimit*`, and of tokens, users and the site. What a call needs is taken when it is reserved for,
// its tokens by an estimate; its usage settles them, whatever its end is.
import type { AppContext } from '#server/context.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { AppError } from '#shared/errors.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { EndedCall } from '#server/call/ended-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import { countPrompt, estimateTextTokens } from '#server/exchange/token-estimate.ts';
import { countedUser, type LimitSet, longestAnswer } from '#server/rate-limits/bound-limits.ts';
import { answerUnbounded, promptTooLong } from '#server/rate-limits/limit-errors.ts';
import { type CountedRequest, countsModelRequests, enterModelRequests } from '#server/rate-limits/model-requests.ts';
import type { CallAmounts, RatePermit } from '#server/rate-limits/permit.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import type { ApiSurface } from '#server/surfaces/api-surface.ts';

type StageContext = Pick<AppContext, 'db' | 'settings' | 'now' | 'log' | 'rateLimits'>;

export function rateLimitsStage(context: StageContext): CallStage {
  const { rateLimits } = context;
  return {
    name: 'rate-limits',
    // Turns that begin later are counted under the settings of their beginning.
    applies: ({ kind }, isLimited) => isLimited || rateLimits.hasSiteLimits || countsModelRequests(context) || kind.isInSession === true,
    open(call) {
      const { admission, turn } = call;
      const limits = rateLimits.of(admission, call.requested.model);
      const { surface } = call.endpoint;
      if (turn.isAhead === true) return new LimitedCall(context, { limits, surface, counted: null });
      if (turn.isFree === true) {
        return turn.within === undefined || limits === null ? null : new LimitedCall(context, { limits, surface, counted: null });
      }
      const counting = enterModelRequests(context, countedUser(admission));
      if (call.endpoint.kind.isCount) return openCount(context, limits, counting);
      if (counting !== null) return counting.then((counted) => new LimitedCall(context, { limits, surface, counted }));
      // At the end of a budget, another model may take the place of the requested one.
      return limits === null && !rateLimits.binds(admission) ? null : new LimitedCall(context, { limits, surface, counted: null });
    },
  };
}

/** Token counts are requests without tokens, which reserve nothing. */
async function openCount({ rateLimits }: StageContext, limits: LimitSet | null, counting: Promise<unknown> | null): Promise<null> {
  await counting;
  if (limits !== null) (await rateLimits.enter(limits, { requests: 1, tokens: 0, input: 0, isParallel: false })).end(true);
  return null;
}

/** Part of a largest prompt up to which an estimate suffices. */
const certainPart = 2;

const noHeaders = {};

interface Limited {
  limits: LimitSet | null;
  surface: ApiSurface;
  /** By the options; null if they limit nothing. */
  counted: CountedRequest | null;
}

class LimitedCall implements StageRun {
  readonly #context: StageContext;
  #limits: LimitSet | null;
  readonly #surface: ApiSurface;
  #counted: CountedRequest | null;
  /** Call that has taken. Turns that begin without a reservation share the stages of another turn. */
  #call: RunningCall | undefined;
  #permit: RatePermit | undefined;
  readonly opened?: (call: AdmittedCall) => Promise<void>;

  constructor(context: StageContext, { limits, surface, counted }: Limited) {
    this.#context = context;
    this.#limits = limits;
    this.#surface = surface;
    this.#counted = counted;
    // Calls do not wait for a hook that has nothing to do.
    if (limits !== null && limits.prompts.length > 0) this.opened = (call) => this.#checkPrompt(call);
  }

  /** @throws {AppError} `context_length_exceeded` */
  async #checkPrompt({ endpoint, content, prompt, requested: { model }, admission: { user }, turn }: AdmittedCall): Promise<void> {
    if (turn.within !== undefined) return;
    const tightest = this.#limits?.prompts.toSorted((a, b) => a.limit.amount - b.limit.amount)[0];
    if (tightest === undefined) return;
    const parts = prompt ?? endpoint.promptContent(content.body, model);
    const estimate = parts.texts.reduce((sum, text) => sum + estimateTextTokens(text), parts.fixed);
    if (estimate * certainPart <= tightest.limit.amount) return;
    const tokens = await countPrompt(parts, model, { owner: user.id, isEstimated: false });
    if (tokens > tightest.limit.amount) throw promptTooLong(tightest, tokens);
  }

  reserved(call: RunningCall): void | Promise<void> {
    if (call.replaced !== undefined) this.#limits = this.#context.rateLimits.of(call.admission, call.model);
    if (this.#limits === null || call.turn.within !== undefined) return this.#takeWithin(call);
    this.#boundAnswer(call, this.#limits);
    if (call.turn.isAhead !== true) return this.#take(call, this.#limits, true);
  }

  /** A call within another one, such as a summary, takes its tokens only. */
  #takeWithin(call: RunningCall): void | Promise<void> {
    if (this.#limits !== null) return this.#take(call, this.#limits, false);
  }

  async begun(call: RunningCall): Promise<void> {
    this.#counted = (await enterModelRequests(this.#context, countedUser(call.admission))) ?? null;
    this.#call = call;
    if (this.#limits !== null) await this.#take(call, this.#limits, true);
  }

  /** Synchronous while the leases suffice. */
  #take(call: RunningCall, limits: LimitSet, isRequest: boolean): void | Promise<void> {
    this.#call = call;
    const { tokens: input } = call.reserved.prompt;
    const amounts: CallAmounts = {
      requests: isRequest ? 1 : 0,
      tokens: input + this.#expectedOutput(call),
      input,
      isParallel: isRequest,
    };
    const entering = this.#context.rateLimits.enter(limits, amounts);
    if (!(entering instanceof Promise)) this.#permit = entering;
    else return entering.then((permit) => void (this.#permit = permit));
  }

  /** Tokens that most answers of the model have at most, if the caller's limit is not below. */
  #expectedOutput({ reserved, model, services }: RunningCall): number {
    const { outputMost, choices } = reserved;
    const usual = services.settlement.learned.mostResponses(model) ?? this.#context.settings.get('PreConsumedQuota');
    return Math.min(outputMost, Math.ceil(usual) * choices);
  }

  /** Makes the limit of answers the one that goes upstream, unless the caller's is below. */
  #boundAnswer({ endpoint, reserved }: RunningCall, limits: LimitSet): void {
    const { choices, choiceLimit = Infinity, outputBound = Infinity } = reserved;
    const ofChoice = longestAnswer(limits, choices);
    if (ofChoice === undefined || !endpoint.kind.isWritten || choiceLimit <= ofChoice) return;
    reserved.outputBound = Math.min(outputBound, ofChoice);
    reserved.choiceLimit = ofChoice;
    reserved.outputMost = Math.min(reserved.outputMost, ofChoice * choices);
    reserved.outputLimit = ofChoice * choices;
  }

  /** Passes over channels to which no limit can be sent. */
  before({ model, endpoint }: RunningCall, { route }: CallAttempt): AppError | null {
    const [answer] = this.#limits?.answers ?? [];
    if (answer === undefined || route === null || !endpoint.kind.isWritten) return null;
    const isBound = route.dialect.limits.areNone !== true && route.provider.takesNoLimit !== true;
    return isBound ? null : answerUnbounded(answer, model);
  }

  everyHeaders(): Readonly<Record<string, string>> {
    return this.#limits === null ? noHeaders : this.#surface.limitHeaders(this.#context.rateLimits.left(this.#limits));
  }

  settling(_row: ChargeRow, call: RunningCall, { usage }: EndedCall): void {
    if (this.#limits === null) return;
    const tokens = usage === null ? 0 : inputTokens(usage) + usage.output;
    // A turn that the provider began although a limit refused it has no permit.
    if (call === this.#call && this.#permit !== undefined) this.#permit.settle(tokens);
    else this.#context.rateLimits.charge(this.#limits, tokens);
  }

  settled(call: RunningCall): void | Promise<void> {
    if (this.#counted !== null && (call === this.#call || this.#call === undefined)) return this.#counted.succeeded();
  }

  closed(call: RunningCall): void {
    if (call !== this.#call) return;
    // Turns of a session are sent by the session.
    const wasSent = call.endpoint.kind.isInSession === true ? call.attempts.length > 0 : call.sent !== null;
    this.#permit?.end(wasSent);
  }
}
