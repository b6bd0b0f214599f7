// Tokens that were fetched for keys, for every channel of this process: one fetch at a time for a key, and none while a token lives.
export interface FetchedToken {
  value: string;
  /** Milliseconds. */
  expiresAt: number;
}

interface Entry {
  token: FetchedToken | null;
  /** From then on it is fetched anew; milliseconds. */
  renewAt: number;
  fetchedAt: number;
  fetching: Promise<string> | null;
}

/** No call travels with a token that ends on its way. */
const earlyMs = 300_000;
const mostStored = 1000;
/** A key whose tokens are refused as they come is not asked for one by every call. */
const oldAfterMs = 60_000;
const entries = new Map<string, Entry>();

/**
 * @param id a hash of everything that the token depends on
 * @param now milliseconds
 * @throws whatever `fetch` rejects with; the next call fetches again
 */
export function fetchedToken(id: string, now: number, fetch: () => Promise<FetchedToken>): string | Promise<string> {
  const known = entries.get(id);
  // A clock that was put back says nothing of how old a token is.
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

/** Whether another token may be taken where this one is not: not if it has just been fetched. */
export function isOldToken(id: string, now: number): boolean {
  const known = entries.get(id);
  return known === undefined || now - known.fetchedAt >= oldAfterMs;
}

/** It is no longer taken. */
export function forgetToken(id: string, value: string): void {
  const known = entries.get(id);
  if (known?.token?.value === value) known.token = null;
}

function keep(id: string, entry: Entry): void {
  const [oldest] = entries.keys();
  if (entries.size >= mostStored && oldest !== undefined) entries.delete(oldest);
  entries.set(id, entry);
}
