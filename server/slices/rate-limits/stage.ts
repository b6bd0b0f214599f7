// Limits the model requests of each user: calls are counted when they are admitted, and once more when they succeed.
import { enterRateLimit, isRateLimited, type LimitServices, type RatePermit } from '#server/call/admission/rate-gate.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';

export function rateLimitsStage(context: LimitServices): CallStage {
  return {
    name: 'rate-limits',
    // A turn of a session is counted under the settings of its beginning.
    applies: ({ kind }) => isRateLimited(context) || kind.isInSession === true,
    open({ turn, admission }) {
      const { id } = admission.user;
      if (turn.isAhead === true) return new TurnAhead(context, id);
      if (turn.isFree === true) return null;
      const entering = enterRateLimit(context, id);
      return entering === null ? null : entering.then((permit) => new CountedCall(permit));
    },
  };
}

class CountedCall implements StageRun {
  readonly #permit: RatePermit;

  constructor(permit: RatePermit) {
    this.#permit = permit;
  }

  settled(): Promise<void> {
    return this.#permit.succeeded();
  }
}

/** Turns that begin without a reservation share the stages of another turn, and are not counted. */
class TurnAhead implements StageRun {
  readonly #context: LimitServices;
  readonly #userId: number;
  #begun: { call: RunningCall; permit: RatePermit } | undefined;

  constructor(context: LimitServices, userId: number) {
    this.#context = context;
    this.#userId = userId;
  }

  async begun(call: RunningCall): Promise<void> {
    const permit = await enterRateLimit(this.#context, this.#userId);
    if (permit !== null) this.#begun = { call, permit };
  }

  async settled(call: RunningCall): Promise<void> {
    if (this.#begun?.call === call) await this.#begun.permit.succeeded();
  }
}
