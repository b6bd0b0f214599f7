// Compares costs that providers report with the charges. A lasting difference means that a price is wrong or has changed, at the
// operator's expense.

/** Sums of a day, in US dollars before the groups' ratios. */
export interface DriftSums {
  calls: number;
  ours: number;
  reported: number;
}

export interface CostDrift {
  /**
   * Adds a call whose provider has reported its cost. Returns the sums if they differ by more than `percent` and were not reported
   * today.
   * @param call `key`: identifies channel and model
   * @param percent tolerated difference; 0 to report nothing
   */
  noted(call: { key: string; ours: number; reported: number }, percent: number): DriftSums | undefined;
}

/** Minimum calls for a report: a single call may have used something that is priced separately. */
const fewestCalls = 5;
/** Minimum sum for a report, in US dollars; smaller ones differ by rounding. */
const leastReported = 0.001;
/** Maximum stored sums; callers choose the names of some models. */
const mostStored = 1000;
/** Maximum reports of a day; more would have a common cause. */
const mostReported = 20;
const dayMs = 24 * 3_600_000;

export function createCostDrift({ now }: { now(): number }): CostDrift {
  let day = 0;
  let alerted = new Set<string>();
  /** Sums by key, the least recently used first. */
  let sumsByKey = new Map<string, DriftSums>();
  return {
    noted({ key, ours, reported }, percent) {
      const today = Math.floor(now() / dayMs);
      if (today !== day) [day, alerted, sumsByKey] = [today, new Set(), new Map()];
      const before = sumsByKey.get(key) ?? { calls: 0, ours: 0, reported: 0 };
      const sums = { calls: before.calls + 1, ours: before.ours + ours, reported: before.reported + reported };
      sumsByKey.delete(key);
      sumsByKey.set(key, sums);
      if (sumsByKey.size > mostStored) for (const oldest of sumsByKey.keys()) if (sumsByKey.size > mostStored) sumsByKey.delete(oldest);
      if (percent === 0 || alerted.has(key) || alerted.size >= mostReported || !isApart(sums, percent)) return undefined;
      alerted.add(key);
      return sums;
    },
  };
}

function isApart({ calls, ours, reported }: DriftSums, percent: number): boolean {
  if (calls < fewestCalls || reported < leastReported) return false;
  return Math.abs(ours - reported) * 100 > reported * percent;
}
