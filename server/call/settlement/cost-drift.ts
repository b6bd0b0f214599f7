// Whether providers who say what a call costs say the same as the prices here. What differs for long is a price that is wrong, or that has
// changed: the operator pays for it.

/** Sums of a day, in US dollars before the groups' ratios. */
export interface DriftSums {
  calls: number;
  ours: number;
  reported: number;
}

export interface CostDrift {
  /**
   * Adds a call whose provider has reported its cost.
   * @param call `key`: whose sums it belongs to, of a channel and a model
   * @param percent by which the sums may differ; 0: nothing is reported
   * @returns the sums, if they differ by more and were not reported today
   */
  noted(call: { key: string; ours: number; reported: number }, percent: number): DriftSums | undefined;
}

/** Fewer calls mean little: one may have used something that is priced separately. */
const fewestCalls = 5;
/** Dollars. Below this, rounding is what differs. */
const leastReported = 0.001;
/** Stored sums; callers may choose some models' names. */
const mostStored = 1000;
/** Reports of a day: more than these have one cause. */
const mostReported = 20;
const dayMs = 24 * 3_600_000;

export function createCostDrift({ now }: { now(): number }): CostDrift {
  let day = 0;
  let alerted = new Set<string>();
  /** The one that was used longest ago comes first. */
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
