// A session minute as a call: reserved before it begins, charged for the seconds used.
import { AppError } from '#shared/errors.ts';
import type { CallUnits } from '#shared/call-units.ts';
import { noTokens } from '#shared/token-usage.ts';
import { minuteBody, minuteContent, realtimeClient, sessionMinutes } from '#server/kinds/realtime/realtime-client.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { realtimeEndpoint, type RelayEndpoint } from '#server/call/endpoints.ts';
import { releaseCall, type RunningCall } from '#server/call/running-call.ts';
import { openTurn, type TurnOwner } from './open-turn.ts';

/** Seconds reserved at a time, and the minimum for which a session is opened or continued. */
export const [mostSeconds, leastSeconds] = [60, 10];

/** Reserved part of a session. */
export interface PaidMinute {
  call: RunningCall;
  /** Seconds reserved; fewer than a minute if the account has no more. */
  seconds: number;
}

const minuteEndpoint: RelayEndpoint = {
  ...realtimeEndpoint,
  ...realtimeClient,
  // Tokens are not charged.
  kind: { ...realtimeEndpoint.kind, isWritten: false },
  promptContent: minuteContent(mostSeconds, leastSeconds),
};

/**
 * Reserves a minute.
 * @throws {AppError} as `openTurn`; `model_price_error` if the model is no longer priced by the minute
 */
export async function openMinute(owner: TurnOwner, model: string): Promise<PaidMinute> {
  const call = await openTurn(owner, minuteEndpoint, minuteBody(model));
  if (call.reserved.quoted.price.kind === 'call') return { call, seconds: paidSeconds(call) };
  releaseCall(call);
  throw new AppError('model_price_error', { model });
}

/**
 * Usage of a minute.
 * @param from seconds of the session before the minute
 */
export function minuteUsage(seconds: number, from: number, source: MeteredUsage['promptSource']): MeteredUsage {
  const units: CallUnits = { ...sessionMinutes(seconds), from };
  return { ...noTokens, input: units.count, promptSource: source, completionSource: source, units };
}

/** Returns the seconds that the reservation pays for. */
function paidSeconds({ services, reserved: { quoted, prompt, reservation } }: RunningCall): number {
  const { quotes } = services.context;
  const isPaid = (seconds: number) => quotes.reserveFor(quoted, { ...prompt, units: sessionMinutes(seconds) }, 0) <= reservation.amount;
  let seconds = mostSeconds;
  while (seconds > leastSeconds && !isPaid(seconds)) seconds -= 1;
  return seconds;
}
