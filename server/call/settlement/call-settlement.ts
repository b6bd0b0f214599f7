// State of the settlement that outlives a call, one per process.
import type { AppContext } from '#server/context.ts';
import { type AbandonedCalls, createAbandonedCalls } from '#server/call/settlement/abandoned-calls.ts';
import { type CostDrift, createCostDrift } from '#server/call/settlement/cost-drift.ts';
import { createExcessCharges, type ExcessCharges } from '#server/call/settlement/excess-charges.ts';
import { createLearnedUsage, type LearnedUsage } from '#server/call/settlement/learned-usage.ts';
import { createUnknownFinishReasons, type UnknownFinishReasons } from '#server/call/settlement/unknown-finish-reasons.ts';

export interface CallSettlement {
  /** Complete responses that are read to their end after their callers have disconnected. */
  readonly abandoned: AbandonedCalls;
  /** Charges above their reservations, for which the next calls of the account wait. */
  readonly excess: ExcessCharges;
  /** Statistics of models, by which later reservations are sized. */
  readonly learned: LearnedUsage;
  /** Costs reported by providers, compared with the charges. */
  readonly costs: CostDrift;
  readonly unknownEndings: UnknownFinishReasons;
}

export function createCallSettlement(context: Pick<AppContext, 'now' | 'log'>): CallSettlement {
  return {
    abandoned: createAbandonedCalls(),
    excess: createExcessCharges(),
    learned: createLearnedUsage(),
    costs: createCostDrift(context),
    unknownEndings: createUnknownFinishReasons(context.log),
  };
}
