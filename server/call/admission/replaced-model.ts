// At the end of a budget, a call may continue with a model of a lower price.
import { AppError } from '#shared/errors.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { BudgetReached } from '#server/money/budgets.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import { inServingGroup } from '#server/call/admission/auto-group.ts';
import type { RelayServices } from '#server/call/services.ts';

export interface ReplacedCall {
  admitted: AdmittedCall;
  quoted: QuotedPrice;
  /** Name of the budget. */
  budget: string;
}

/**
 * Returns the call with the model that takes the place of the requested one. Null if the refusal is not by a budget that names such a model, the call
 * has one model, its caller may not use the other one, no channel serves it, or it has no price.
 * @param failure refusal of the reservation
 */
export function withReplacedModel(
  services: RelayServices,
  call: AdmittedCall,
  failure: unknown,
  quote: (call: AdmittedCall) => QuotedPrice,
): ReplacedCall | null {
  const { gate, channels } = services;
  const { endpoint, privateModel, requested } = call;
  const budget = failure instanceof BudgetReached ? failure.budget : undefined;
  const model = budget?.cheaperModel;
  if (budget === undefined || model === undefined || endpoint.kind.isInSession === true || privateModel !== null) return null;
  try {
    const admission = inServingGroup(services, call.admission, { model, endpoint });
    gate.checkModel(admission, model);
    if (admission.pinnedChannel === undefined && channels.tiers(admission.group, model).length === 0) return null;
    const admitted = { ...call, admission, requested: { ...requested, model } };
    return { admitted, quoted: quote(admitted), budget: budget.name };
  } catch (refusal) {
    if (refusal instanceof AppError) return null;
    throw refusal;
  }
}
