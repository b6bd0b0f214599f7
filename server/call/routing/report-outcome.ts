// Reports the outcome of an attempt to the health of its channel, and of its key if the channel has several.
import type { AppContext } from '#server/context.ts';
import { accountErrors, isUnclear } from '#server/exchange/failure-consequences.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import type { ChannelHealth } from './channel-health.ts';
import type { LimitedCallers } from './limited-callers.ts';

export interface OutcomeServices {
  readonly health: ChannelHealth;
  /** By ids of keys. */
  readonly keyHealth: ChannelHealth;
  readonly limitedCallers: LimitedCallers;
  readonly context: Pick<AppContext, 'figures'>;
}

type Attempted = Pick<PreparedChannel, 'id' | 'keyId'>;

export interface CallOf {
  model: string;
  /** Id of the calling user. */
  caller: number;
}

export function reportSuccess(
  { health, keyHealth, limitedCallers }: OutcomeServices,
  { id, keyId }: Attempted,
  { model, caller }: CallOf,
): void {
  health.succeeded(id, model, caller);
  if (keyId === 0) return;
  keyHealth.succeeded(keyId, model, caller);
  limitedCallers.served(id, caller);
}

export function reportRelease({ health, keyHealth }: OutcomeServices, { id, keyId }: Attempted, { model, caller }: CallOf): void {
  health.released(id, model, caller);
  if (keyId !== 0) keyHealth.released(keyId, model, caller);
}

/** Returns whether the channel, its key or the model on it caused the failure, not a single caller. */
export function reportFailure(
  services: OutcomeServices,
  channel: Attempted,
  { model, caller, failure }: CallOf & { failure: UpstreamFailure },
): boolean {
  const { health, keyHealth, limitedCallers, context } = services;
  const { id, keyId } = channel;
  if (keyId === 0) return health.failed(id, model, failure, caller);
  if (!concernsKey(failure)) {
    keyHealth.released(keyId, model, caller);
    return health.failed(id, model, failure, caller);
  }
  // The channel has other keys: it is as well as before.
  health.released(id, model, caller);
  context.figures.failed(id, failure.status);
  const isOfCaller = isRateLimit(failure) && limitedCallers.limited(id, { keyId, caller });
  return keyHealth.failed(keyId, model, { ...failure, isOfCaller }, caller);
}

/** Reports whether another key of the same channel may succeed where this one failed. */
export function concernsKey({ kind, status, upstreamStatus, concerns, code, type }: UpstreamFailure): boolean {
  if (kind !== 'response' || concerns === 'request') return false;
  if (concerns === 'account' || accountErrors.has(String(code)) || accountErrors.has(type)) return true;
  return statusesOfKey.has(status) || statusesOfKey.has(upstreamStatus);
}

/** Reports whether the key's rate limit is met, rather than its quota used up. */
function isRateLimit({ status, upstreamStatus, concerns, code, type }: UpstreamFailure): boolean {
  return (
    (status === 429 || upstreamStatus === 429) && concerns === undefined && !accountErrors.has(String(code)) && !accountErrors.has(type)
  );
}

/** Reports whether a refusal of the key says nothing about the call, so that a call may go through several of them. */
export function concernsOnlyKey(failure: UpstreamFailure): boolean {
  return concernsKey(failure) && !isUnclear(failure) && failure.concerns !== 'model';
}

const statusesOfKey: ReadonlySet<number> = new Set([401, 402, 403, 429]);
