// Series of one process. Their owners hold them and add to a number: the labels are looked up once, not with every value. (The
// instruments of the OpenTelemetry SDK hash the labels of each value, which takes longer than everything else that a call is measured by.)
import { type MetricKey, metricSpecs } from '#server/telemetry/catalogue.ts';
import type { Label, MetricSpec } from '#server/telemetry/metric-spec.ts';

export type Labels = Readonly<Partial<Record<Label, string>>>;

export interface NumberPoint {
  labels: Labels;
  value: number;
}

export interface HistogramPoint {
  labels: Labels;
  /** Values per bucket; the last is of values above all bounds. */
  counts: number[];
  sum: number;
}

/** Values of one metric. Sent between processes as JSON. */
export interface Family {
  metric: MetricKey;
  points: (NumberPoint | HistogramPoint)[];
}

/** Counter of one set of labels. */
export interface Counter {
  value: number;
}

export class Histogram {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  record(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

type MetricsOf<Kind extends MetricSpec['kind']> = {
  [Key in MetricKey]: (typeof metricSpecs)[Key]['kind'] extends Kind ? Key : never;
}[MetricKey];
export type CounterKey = MetricsOf<'counter'>;
export type HistogramKey = MetricsOf<'histogram'>;
/** Metrics whose values are read when they are collected. */
export type ReadKey = MetricsOf<'gauge' | 'counter'>;

export interface Registry {
  /** Returns the series with these labels, which is created if it does not exist. */
  counter(metric: CounterKey, labels: Labels): Counter;
  histogram(metric: HistogramKey, labels: Labels): Histogram;
  /** Reads the values at every collection. A failure leaves the metric out. */
  read(metric: ReadKey, values: () => Iterable<NumberPoint>): void;
  /** Removes the series whose label has a value that is not known any more. */
  retain(label: Label, isKnown: (value: string) => boolean): void;
  collect(): Family[];
}

/** Maximum series of a metric. Values of further sets of labels are counted together, with `other` for every label. */
export const mostSeries = 2000;

export function createRegistry(): Registry {
  const counters = new Map<MetricKey, SeriesOf<Counter>>();
  const histograms = new Map<MetricKey, SeriesOf<Histogram>>();
  const readers: [ReadKey, () => Iterable<NumberPoint>][] = [];
  return {
    counter: (metric, labels) => seriesIn(counters, metric, labels, () => ({ value: 0 })),
    histogram: (metric, labels) => seriesIn(histograms, metric, labels, () => new Histogram(metricSpecs[metric].buckets)),
    read: (metric, values) => void readers.push([metric, values]),
    retain(label, isKnown) {
      for (const all of [...counters.values(), ...histograms.values()]) {
        for (const [key, { labels }] of all) {
          const value = labels[label];
          if (value !== undefined && value !== other && !isKnown(value)) all.delete(key);
        }
      }
    },
    collect() {
      const families: Family[] = [];
      for (const [metric, all] of counters)
        families.push({ metric, points: Array.from(all.values(), ({ labels, series: { value } }) => ({ labels, value })) });
      for (const [metric, all] of histograms)
        families.push({
          metric,
          points: Array.from(all.values(), ({ labels, series: { counts, sum } }) => ({ labels, counts: [...counts], sum })),
        });
      for (const [metric, values] of readers) families.push({ metric, points: valuesOf(values) });
      return families;
    },
  };
}

type SeriesOf<Series> = Map<string, { labels: Labels; series: Series }>;

/** Value of labels that have no bounded one. */
export const other = 'other';

function seriesIn<Series>(all: Map<MetricKey, SeriesOf<Series>>, metric: MetricKey, labels: Labels, create: () => Series): Series {
  let known = all.get(metric);
  if (known === undefined) all.set(metric, (known = new Map()));
  const found = known.get(keyOf(metric, labels));
  if (found !== undefined) return found.series;
  const { labels: names }: MetricSpec = metricSpecs[metric];
  const isFull = known.size >= mostSeries;
  const own = Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, isFull ? other : labels[name]]])));
  const key = keyOf(metric, own);
  const overflow = known.get(key);
  if (overflow !== undefined) return overflow.series;
  const series = create();
  known.set(key, { labels: own, series });
  return series;
}

function keyOf(metric: MetricKey, labels: Labels): string {
  const { labels: names }: MetricSpec = metricSpecs[metric];
  return names.map((name) => labels[name] ?? '').join('\0');
}

function valuesOf(values: () => Iterable<NumberPoint>): NumberPoint[] {
  try {
    return [...values()].filter(({ value }) => Number.isFinite(value));
  } catch {
    return [];
  }
}
