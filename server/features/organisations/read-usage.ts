// Usage of an organisation by member, team, token or model, from the sums by token. A key that is handed over gets another token, so former calls stay
// with the member who made them.
import type { UsagePart } from '#shared/organisations.ts';
import type { AppContext } from '#server/context.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { readUsageState, readUsageTotals } from '#server/logs/read-usage.ts';
import { readTokenUsageName } from '#server/logs/usage-keys.ts';

export interface PartOfUsage {
  calls: number;
  tokens: number;
  quota: number;
}

export interface UsageSpan {
  /** Unix seconds, half-open, multiples of a quarter of an hour. */
  from: number;
  to: number;
}

type Context = Pick<AppContext, 'db' | 'now'>;

const quarter = 900;
const longest = 366 * 86_400;

/** The current month (UTC). */
export function thisMonth({ now }: Pick<AppContext, 'now'>): UsageSpan {
  const date = new Date(now());
  return { from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000, to: (Math.floor(now() / 1000 / quarter) + 1) * quarter };
}

/** Bounds a requested span to whole quarters, the past, and a year. */
export function spanOf(context: Pick<AppContext, 'now'>, start: number | undefined, end: number | undefined): UsageSpan {
  const month = thisMonth(context);
  const to = Math.min(month.to, end === undefined ? month.to : Math.ceil(end / quarter) * quarter);
  const from = start === undefined ? Math.min(month.from, to) : Math.floor(start / quarter) * quarter;
  return { from: Math.max(0, Math.min(to, Math.max(from, to - longest))), to };
}

/** Sums by token id; 0 for calls without a token. */
export async function usageByToken({ db }: Context, organisationId: number, span: UsageSpan): Promise<Map<number, PartOfUsage>> {
  if (span.from >= span.to) return new Map();
  const totals = await readUsageTotals(db, await readUsageState(db), { kind: 'token', userId: organisationId, ...span });
  const parts = new Map<number, PartOfUsage>();
  for (const [name, sums] of totals) add(parts, readTokenUsageName(name, organisationId).tokenId ?? 0, sums);
  return parts;
}

/** Sums by a property of the tokens, such as their member. */
export function sumBy<Key>(
  parts: ReadonlyMap<number, PartOfUsage>,
  tokens: ReadonlyMap<number, TokenRecord>,
  keyOf: (token: TokenRecord | undefined) => Key,
): Map<Key, PartOfUsage> {
  const sums = new Map<Key, PartOfUsage>();
  for (const [id, { calls, tokens: count, quota }] of parts) {
    const key = keyOf(tokens.get(id));
    const sum = sums.get(key) ?? { calls: 0, tokens: 0, quota: 0 };
    sums.set(key, { calls: sum.calls + calls, tokens: sum.tokens + count, quota: sum.quota + quota });
  }
  return sums;
}

/** The tokens of these ids, deleted ones included. */
export async function tokensOf({ db }: Context, organisationId: number, ids: Iterable<number>): Promise<Map<number, TokenRecord>> {
  const found = new Map<number, TokenRecord>();
  const wanted = [...ids].filter((id) => id !== 0);
  for (let at = 0; at < wanted.length; at += 500) {
    const page = await db.collection('tokens').find({ id: { in: wanted.slice(at, at + 500) }, user_id: organisationId });
    for (const token of page) found.set(token.id, token);
  }
  return found;
}

export async function usageByModel({ db }: Context, organisationId: number, span: UsageSpan): Promise<Map<string, PartOfUsage>> {
  if (span.from >= span.to) return new Map();
  const totals = await readUsageTotals(db, await readUsageState(db), { kind: 'model', userId: organisationId, ...span });
  const parts = new Map<string, PartOfUsage>();
  for (const [name, sums] of totals) add(parts, name, sums);
  return parts;
}

/** The largest first. */
export function listParts<Key>(parts: ReadonlyMap<Key, PartOfUsage>, nameOf: (key: Key) => string): UsagePart[] {
  return [...parts]
    .map(([key, part]) => ({ id: String(key), name: nameOf(key), ...part }))
    .toSorted((a, b) => b.quota - a.quota || b.calls - a.calls)
    .slice(0, 1000);
}

function add<Key>(parts: Map<Key, PartOfUsage>, key: Key, sums: CallSums): void {
  const part = parts.get(key) ?? { calls: 0, tokens: 0, quota: 0 };
  part.calls += sums.calls;
  part.tokens += sums.prompt_tokens + sums.completion_tokens;
  part.quota += sums.quota;
  parts.set(key, part);
}
