// Process-wide cache of tokens fetched for keys: one fetch in flight per key, none while a token is valid.
export interface FetchedToken {
  value: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

interface Entry {
  token: FetchedToken | null;
  /** Time from which a new token is fetched; milliseconds. */
  renewAt: number;
  fetchedAt: number;
  fetching: Promise<string> | null;
}

/** Tokens are renewed this long before expiry, so that none expires in flight. */
const earlyMs = 300_000;
const mostStored = 1000;
/** Minimum age of a rejected token before another is fetched, so that a bad key does not cause a fetch per call. */
const oldAfterMs = 60_000;
const entries = new Map<string, Entry>();

/**
 * @param id hash of everything that the token depends on
 * @param now milliseconds
 * @throws the error of `fetch`; the next call fetches again
 */
export function fetchedToken(id: string, now: number, fetch: () => Promise<FetchedToken>): string | Promise<string> {
  const known = entries.get(id);
  // If the clock was set back, the token's age is unknown.
  if (known?.token != null && now < known.renewAt && now >= known.fetchedAt) return known.token.value;
  if (known?.fetching != null) return known.fetching;
  const entry = known ?? { token: null, renewAt: 0, fetchedAt: 0, fetching: null };
  if (known === undefined) keep(id, entry);
  entry.fetching = fetch().then(
    (token) => {
      const life = token.expiresAt - now;
      Object.assign(entry, { token, fetchedAt: now, renewAt: now + life - Math.min(earlyMs, life / 2), fetching: null });
      return token.value;
    },
    (cause: unknown) => {
      entry.fetching = null;
      throw cause;
    },
  );
  return entry.fetching;
}

/** Reports whether a rejected token is old enough to be replaced. */
export function isOldToken(id: string, now: number): boolean {
  const known = entries.get(id);
  return known === undefined || now - known.fetchedAt >= oldAfterMs;
}

/** Drops the cached token. */
export function forgetToken(id: string, value: string): void {
  const known = entries.get(id);
  if (known?.token?.value === value) known.token = null;
}

function keep(id: string, entry: Entry): void {
  const [oldest] = entries.keys();
  if (entries.size >= mostStored && oldest !== undefined) entries.delete(oldest);
  entries.set(id, entry);
}
