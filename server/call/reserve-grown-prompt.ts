// Extends the reservation of a call whose prompt has grown since it was reserved.
import type { AppError } from '#shared/errors.ts';
import { costOf, type ExpectedPrompt, promptByEstimate, refusedFurther } from '#server/call/admission/reserve-call.ts';
import { withoutTools } from '#server/call/admission/reserved-tools.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { routingOf } from '#server/call/stages.ts';

/** Estimates the prompt of a body. */
export function promptOf(call: RunningCall, body: RelayBody): ExpectedPrompt {
  const { services, endpoint, admission, model, stages } = call;
  const { quoted } = call.reserved;
  const only = routingOf(stages).only;
  const requested = { admission, endpoint, model, only, body, parameters: endpoint.parameters(body), prompt: null, quoted };
  const estimated = promptByEstimate(services, requested);
  // Tools that were removed because the account could not pay for them remain removed.
  return call.reserved.prompt.hosted === undefined ? withoutTools(estimated) : estimated;
}

/**
 * Returns null if the prompt is reserved, or the error if the account cannot pay for it.
 * @throws {DatabaseUnavailable}
 */
export async function reserveGrownPrompt(call: RunningCall, prompt: ExpectedPrompt): Promise<AppError | null> {
  const { services } = call;
  const { quoted, reservation, outputMost } = call.reserved;
  const { quotes, ledger } = services.context;
  const most = costOf(services, { quoted }, prompt, outputMost);
  const least = quotes.reserveFor(quoted, prompt, outputMost);
  for (const need of [most, least]) {
    const more = Math.ceil(need - reservation.amount);
    if (more <= 0 || (await ledger.extend(reservation, more))) return null;
  }
  return refusedFurther(services, call, least);
}
