// Reserves the model's largest output before a call is sent to a provider that accepts no limit. Without that, calls with a
// limit of one token could each cost a whole response.
import type { AppError } from '#shared/errors.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import { refusedFurther } from '#server/call/admission/reserve-call.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { RunningCall } from '#server/call/running-call.ts';

/**
 * Returns null if the call may be sent to the channel, or an error if the account cannot pay for the output; nothing is changed
 * then.
 * @throws {DatabaseUnavailable}
 */
export function reserveLargestOutput(call: RunningCall, { route }: CallAttempt): null | Promise<AppError | null> {
  const { endpoint, reserved } = call;
  const { choices, choiceLimit } = reserved;
  reserved.outputLimit = choiceLimit === undefined ? undefined : choiceLimit * choices;
  if (route === null || !endpoint.kind.isWritten) return null;
  const isLimited = route.dialect.limits.areNone !== true && route.provider.takesNoLimit !== true;
  return isLimited ? null : extendTo(call, route.upstreamModel);
}

async function extendTo(call: RunningCall, upstreamModel: string): Promise<AppError | null> {
  const { model, services, reserved } = call;
  const { choices, reservation } = reserved;
  const { context } = services;
  const largest = maxOutputTokens(upstreamModel) ?? maxOutputTokens(model) ?? context.settings.get('DefaultMaxOutputTokens');
  const most = Math.max(reserved.outputMost, largest * choices);
  const need = context.quotes.reserveFor(reserved.quoted, reserved.prompt, most);
  const more = Math.ceil(need - reservation.amount);
  if (more > 0 && !(await context.ledger.extend(reservation, more))) return refusedFurther(services, call, need);
  reserved.outputMost = most;
  reserved.outputLimit = undefined;
  return null;
}
