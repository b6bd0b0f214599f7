// Prices of storing a cache. https://ai.google.dev/gemini-api/docs/pricing
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { ratioOfGroup } from '#server/settings/group-moves.ts';

export type CacheTerms = Pick<ContextCacheRecord, 'price' | 'group_ratio' | 'quota_per_unit'>;

/** Time paid at the price of the moment of payment. Unix seconds. */
export interface PaidSpan extends CacheTerms {
  from: number;
  until: number;
  group: string;
}

const [million, hourSeconds] = [1_000_000, 3600];
/** Tolerance when rounding floats that should be integers. */
const rounding = 1e-9;
/** Each extension at another price adds one span. */
const mostSpans = 100;
const unpriced = { zh: '没有缓存存储价格', en: 'has no price for storing caches' };
const tooManyPrices = { zh: `不能再延长：已按 ${mostSpans} 个价格付费`, en: `cannot be extended: it is paid for at ${mostSpans} prices` };

/**
 * Returns the current price of a model and group.
 * @throws {AppError} `invalid_request` if the model has no price, because storing could not be charged
 */
export function cacheTerms(
  { settings }: Pick<AppContext, 'settings'>,
  { model, group, userGroup }: { model: string; group: string; userGroup: string },
): CacheTerms {
  const price = priceFor(model, settings.get('ContextCachePrice'));
  if (price === undefined) throw badField('model', unpriced);
  return { price, group_ratio: ratioOfGroup(settings, group, userGroup), quota_per_unit: settings.get('QuotaPerUnit') };
}

/** Returns the price of the longest matching name; `*` matches any letters. */
export function priceFor(model: string, prices: Readonly<Record<string, number>>): number | undefined {
  const fitting = Object.keys(prices).filter((name) => fits(model, name.split('*')));
  const [longest] = fitting.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? undefined : prices[longest];
}

/** Matches in linear time: each piece is searched after the one before it. */
function fits(model: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return model === first;
  if (!model.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = model.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return model.length - last.length >= at && model.endsWith(last);
}

/** Quota, rounded up. */
export function storingCost({ price, group_ratio: ratio, quota_per_unit: unit }: CacheTerms, tokens: number, seconds: number): number {
  const exact = price * ratio * unit * (tokens / million) * (seconds / hourSeconds);
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(exact * (1 - rounding))));
}

/** Returns the paid spans in order. Records of earlier versions have one price for their whole time. */
export function spansOf(cache: ContextCacheRecord): readonly PaidSpan[] {
  const { price, group_ratio, quota_per_unit, group, created_at: from, expires_at: until } = cache;
  return spansIn(cache.spans) ?? [{ price, group_ratio, quota_per_unit, group, from, until }];
}

/** Returns the spans that the pending charge pays for. */
export function pendingSpansOf(cache: ContextCacheRecord): readonly PaidSpan[] {
  return spansIn(cache.pending_spans) ?? spansOf(cache);
}

function spansIn(json = ''): readonly PaidSpan[] | null {
  if (json === '') return null;
  const spans: readonly PaidSpan[] = JSON.parse(json);
  return spans;
}

/**
 * Adds time at the current price; a span at the same price is extended, and rounded up once.
 * @throws {AppError} `invalid_request`
 */
export function extendSpans(spans: readonly PaidSpan[], terms: CacheTerms & Pick<PaidSpan, 'group'>, until: number): readonly PaidSpan[] {
  const last = spans.at(-1);
  if (last === undefined || until <= last.until) return spans;
  const isSame =
    last.price === terms.price &&
    last.group_ratio === terms.group_ratio &&
    last.quota_per_unit === terms.quota_per_unit &&
    last.group === terms.group;
  if (isSame) return [...spans.slice(0, -1), { ...last, until }];
  if (spans.length >= mostSpans) throw badField('ttl', tooManyPrices);
  return [...spans, { ...terms, from: last.until, until }];
}

/**
 * Returns the quota for storing a cache from its creation to `end`.
 * @param end unix seconds; if undefined, the end of the paid time
 */
export function spansCost(spans: readonly PaidSpan[], tokens: number, end = Infinity): number {
  const total = spans.reduce((sum, span) => sum + storingCost(span, tokens, Math.max(0, Math.min(span.until, end) - span.from)), 0);
  return Math.min(Number.MAX_SAFE_INTEGER, total);
}
