// How much more or less something is than it was. Small bases say nothing: a comparison with less than a cent or ten calls is none.

export type Comparison = { kind: 'same' } | { kind: 'more' | 'less'; share: string } | { kind: 'times'; factor: string };

/** Quota of a cent is `quotaPerUnit / 100`. */
export const leastCompared = { calls: 10, tokens: 10_000, dollars: 0.01 };

/** From here on a share is hard to read. */
const manyTimes = 5;

/** `least`: what there must have been before. Undefined: nothing to compare with. */
export function compare(now: number, before: number, least: number): Comparison | undefined {
  if (before <= 0 || before < least) return undefined;
  const ratio = now / before;
  const share = Math.abs(ratio - 1);
  if (share < 0.0005) return { kind: 'same' };
  if (ratio >= manyTimes) return { kind: 'times', factor: Math.round(ratio).toLocaleString('en-US') };
  const digits = share >= 0.0995 ? 0 : 1;
  return { kind: ratio > 1 ? 'more' : 'less', share: `${(share * 100).toFixed(digits)}%` };
}
