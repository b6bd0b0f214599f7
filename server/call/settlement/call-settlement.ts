// What the settlement of calls remembers in a process beyond one call.
import type { AppContext } from '#server/context.ts';
import { type AbandonedCalls, createAbandonedCalls } from '#server/call/settlement/abandoned-calls.ts';
import { type CostDrift, createCostDrift } from '#server/call/settlement/cost-drift.ts';
import { createExcessCharges, type ExcessCharges } from '#server/call/settlement/excess-charges.ts';
import { createLearnedUsage, type LearnedUsage } from '#server/call/settlement/learned-usage.ts';
import { createUnknownFinishReasons, type UnknownFinishReasons } from '#server/call/settlement/unknown-finish-reasons.ts';

export interface CallSettlement {
  /** Whole responses that are read on for their usage after their callers have disconnected. */
  readonly abandoned: AbandonedCalls;
  /** Charges above their reservations, which the next calls of the account wait for. */
  readonly excess: ExcessCharges;
  /** Usage of models, which later reservations are sized by. */
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
