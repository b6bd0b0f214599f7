import { type Token, TokenStatus } from '#shared/tokens.ts';
import { commaList } from '#shared/comma-list.ts';

interface Preferred {
  chosen?: number | undefined;
  /** Name of the token that made the newest call that was answered. */
  called?: string | undefined;
}

/**
 * The chosen one, or else, of those that a call can be made with, the one that made the newest call, or the one with the fewest limits.
 * `now` in unix seconds.
 */
export function usableToken(tokens: readonly Token[], now: number, { chosen, called }: Preferred = {}): Token | undefined {
  const usable = tokens.filter(
    (token) =>
      token.status === TokenStatus.enabled &&
      token.key !== '' &&
      !token.key.includes('*') &&
      (token.expired_time === -1 || token.expired_time > now) &&
      (token.unlimited_quota || token.remain_quota > 0),
  );
  return (
    usable.find(({ id }) => id === chosen) ??
    usable.find(({ name }) => name === called) ??
    usable.toSorted((a, b) => bounds(a) - bounds(b))[0]
  );
}

/** Limits that may refuse a first call. A list of models weighs most: it also hides the other models. */
function bounds({ model_limits_enabled: isLimited, allow_ips: addresses, group }: Token): number {
  return (isLimited ? 4 : 0) + (addresses.trim() === '' ? 0 : 2) + (group === '' ? 0 : 1);
}

/** The models that its key is limited to; null: every one. */
export function limitOf(token: Token): ReadonlySet<string> | null {
  return token.model_limits_enabled ? new Set(commaList(token.model_limits)) : null;
}

/** Form of a key that identifies it and opens nothing: `sk-4kQz…A3uE`. */
export function shortKey(key: string): string {
  return `sk-${key.slice(0, 4)}…${key.slice(-4)}`;
}
