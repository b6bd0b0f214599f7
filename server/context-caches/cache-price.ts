// What storing a cache costs. https://ai.google.dev/gemini-api/docs/pricing
import type { AppContext } from '#server/context.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';

export type CacheTerms = Pick<ContextCacheRecord, 'price' | 'group_ratio' | 'quota_per_unit'>;

const [million, hourSeconds] = [1_000_000, 3600];
/** Of a float that ought to be whole. */
const rounding = 1e-9;

/** As they are now. Null: no price of the model is known, and nobody could be charged. */
export function cacheTerms(
  { settings }: Pick<AppContext, 'settings'>,
  { model, group }: { model: string; group: string },
): CacheTerms | null {
  const price = priceFor(model, settings.get('ContextCachePrice'));
  if (price === undefined) return null;
  const ratios = settings.get('GroupRatio');
  const ratio = Object.hasOwn(ratios, group) ? (ratios[group] ?? 1) : 1;
  return { price, group_ratio: ratio, quota_per_unit: settings.get('QuotaPerUnit') };
}

/** That of the longest name that fits, in which `*` stands for any letters. */
export function priceFor(model: string, prices: Readonly<Record<string, number>>): number | undefined {
  const fitting = Object.keys(prices).filter((name) => fits(model, name.split('*')));
  const [longest] = fitting.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? undefined : prices[longest];
}

/** Linear: each piece is looked for behind the one before it. */
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
