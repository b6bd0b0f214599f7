import { TokenStatus } from '#shared/tokens.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { balanceOf } from '#server/money/account.ts';

/**
 * What a token is worth at `now` (milliseconds). Owners switch between enabled and disabled; expired and exhausted follow
 * from expiry and balance alone, so that time, spending and edits need no second write to take effect.
 */
export function effectiveStatus(token: TokenRecord, now: number): number {
  if (token.status === TokenStatus.disabled) return TokenStatus.disabled;
  if (isExpired(token, now)) return TokenStatus.expired;
  return isExhausted(token) ? TokenStatus.exhausted : TokenStatus.enabled;
}

export function isExpired(token: Pick<TokenRecord, 'expired_time'>, now: number): boolean {
  return token.expired_time !== -1 && token.expired_time * 1000 <= now;
}

/** A limited token without any balance, leases of running processes counted in. */
export function isExhausted(token: TokenRecord): boolean {
  return !token.unlimited_quota && balanceOf(token) <= 0;
}
