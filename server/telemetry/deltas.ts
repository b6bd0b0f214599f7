// Differences since the last export, for collectors that take no sums (OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE).
import type { MetricKey } from '#server/telemetry/catalogue.ts';
import type { HistogramPoint, NumberPoint } from '#server/telemetry/registry.ts';

export interface Deltas {
  of<Point extends NumberPoint | HistogramPoint>(metric: MetricKey, point: Point): Point;
  /** Ends an export: forgets the series that were not in it. Returns how many are known. */
  exported(): number;
}

export function createDeltas(): Deltas {
  /** Series of the last export, and of this one: as many as there are. */
  let last = new Map<string, NumberPoint | HistogramPoint>();
  let current: typeof last = new Map();
  return {
    of(metric, point) {
      const key = JSON.stringify([metric, point.labels]);
      const before = last.get(key);
      current.set(key, point);
      return before === undefined ? point : differenceOf(point, before);
    },
    exported() {
      [last, current] = [current, new Map()];
      return last.size;
    },
  };
}

/** A series that was removed, with a deleted model, and made again counts from 0. */
function differenceOf<Point extends NumberPoint | HistogramPoint>(now: Point, before: NumberPoint | HistogramPoint): Point {
  if ('counts' in now && 'counts' in before) {
    if (now.counts.some((count, bucket) => count < (before.counts[bucket] ?? 0))) return now;
    return { ...now, counts: now.counts.map((count, bucket) => count - (before.counts[bucket] ?? 0)), sum: now.sum - before.sum };
  }
  if ('value' in now && 'value' in before) return now.value < before.value ? now : { ...now, value: now.value - before.value };
  return now;
}
