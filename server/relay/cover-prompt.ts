// A call whose prompt has become another one after it was reserved for reserves what that one may cost more.
import type { AppError } from '#shared/errors.ts';
import { costOf, promptByEstimate, refusedFurther } from '#server/relay/admission/reserve-call.ts';
import { withoutTools } from '#server/relay/admission/reserved-tools.ts';
import type { RunningCall } from '#server/relay/running-call.ts';

/** Null: it is paid for. An error: the account does not pay for it. @throws {DatabaseUnavailable} */
export async function coverPrompt(call: RunningCall): Promise<AppError | null> {
  const { services, endpoint, admission, model, ownModel, content, quoted, reservation } = call;
  const { quotes, ledger } = services.context;
  const { body } = content;
  const asked = { admission, endpoint, model, ownModel, body, parameters: endpoint.parameters(body), prompt: null, quoted };
  const estimated = promptByEstimate(services, asked);
  // What the account could not pay for is not asked for now either.
  const prompt = call.prompt.hosted === undefined ? withoutTools(estimated) : estimated;
  const most = costOf(services, asked, prompt, call.outputMost);
  const least = quotes.reserveFor(quoted, prompt, call.outputMost);
  for (const need of [most, least]) {
    const more = Math.ceil(need - reservation.amount);
    if (more > 0 && !(await ledger.extend(reservation, more))) continue;
    call.prompt = prompt;
    return null;
  }
  return refusedFurther(services, admission, least);
}
