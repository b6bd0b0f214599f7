// Measures calls for the status page. Applies only while the page is on.
import type { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { EndedCall } from '#server/call/ended-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { CallKind, CallKindName } from '#server/kinds/call-kind.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { outcomeOf } from '#server/slices/status-page/call-outcome.ts';
import { type ModelFigures, modelFiguresOf, unknownCaller } from '#server/slices/status-page/model-figures.ts';

type Services = Pick<AppContext, 'channels' | 'settings' | 'db' | 'log' | 'now' | 'onClose'>;

export function statusPageStage(context: Services): CallStage {
  const { channels, settings } = context;
  const figures = modelFiguresOf(context);
  return {
    name: 'status-page',
    applies: ({ kind }) => settings.get('StatusPage') !== 'off' && !kind.isCount,
    // Names of private models are their callers', and a pinned channel says nothing about the others.
    open: ({ endpoint: { kind }, privateModel, admission: { pinnedChannel } }) =>
      privateModel !== null || pinnedChannel !== undefined ? null : new CountedCall(figures, kind),
    refused(error, model) {
      if (settings.get('StatusPage') !== 'off' && isUnserved(error, model, channels)) figures.failed(model, unknownCaller);
    },
  };
}

/** Reports whether no channel took the call because all that serve the model to the caller's group are paused. */
function isUnserved({ code, details }: AppError, model: string, channels: AppContext['channels']): boolean {
  const { group } = details;
  return code === 'no_channel' && typeof group === 'string' && channels.tiers(group, model).length > 0;
}

/** Kinds whose responses grow with the request, so that those that do not stream say nothing about the model's speed. */
const written: ReadonlySet<CallKindName> = new Set(['chat', 'completions', 'fim']);

class CountedCall implements StageRun {
  readonly #figures: ModelFigures;
  readonly #kind: CallKind;
  #isSettled = false;

  constructor(figures: ModelFigures, kind: CallKind) {
    this.#figures = figures;
    this.#kind = kind;
  }

  settling({ user_id: caller, model_name: model, is_stream: isStream }: ChargeRow, call: RunningCall, end: EndedCall): void {
    this.#isSettled = true;
    const outcome = outcomeOf(end.reason, end.failure);
    if (outcome === 'answered') this.#figures.answered(model, caller, this.#firstMs(call, end, isStream));
    if (outcome === 'failed') this.#figures.failed(model, caller);
  }

  closed({ attempts, model, admission }: RunningCall): void {
    if (this.#isSettled || attempts.length === 0) return;
    // A free call is closed right before it is settled; one that was sent and is not settled has failed by a fault of the gateway.
    queueMicrotask(() => {
      if (this.#isSettled) return;
      this.#isSettled = true;
      this.#figures.failed(model, admission.user.id);
    });
  }

  /** First tokens are those of streams. Of calls that yield one thing, such as a picture, the whole response counts as the first token. */
  #firstMs({ startedAt }: RunningCall, { firstByteMs }: EndedCall, isStream: boolean): number | undefined {
    if (isStream) return firstByteMs;
    return this.#kind.isInSession === true || written.has(this.#kind.name) ? undefined : performance.now() - startedAt;
  }
}
