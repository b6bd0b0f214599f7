// Metrics of the registry in the SDK's form, and its two exporters: the Prometheus text and OTLP.
import { type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  InstrumentType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { metricSpecs, prometheusName } from '#server/telemetry/catalogue.ts';
import type { MetricSpec } from '#server/telemetry/metric-spec.ts';
import type { Family, HistogramPoint, NumberPoint } from '#server/telemetry/registry.ts';
import type { ProcessMetrics } from '#server/telemetry/processes.ts';
import { createDeltas, type Deltas } from '#server/telemetry/deltas.ts';

const scope = { name: 'tidegate' };
const startTime = hrTimeAt(Date.now());

/** Returns the metrics as text: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function prometheusText(resource: Resource, processes: readonly ProcessMetrics[]): string {
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  const families = together(processes);
  const metrics = families.map((family) => metricOf(family, { endTime: hrTimeAt(Date.now()), nameOf: prometheusName }));
  return serializer.serialize({ resource, scopeMetrics: [{ scope, metrics }] });
}

/** Joins the values of all processes, which the label of the worker distinguishes if there are several. */
function together(processes: readonly ProcessMetrics[]): Family[] {
  const all = new Map<Family['metric'], Family['points']>();
  const add = (metric: Family['metric'], points: Family['points']) => {
    const known = all.get(metric);
    if (known === undefined) all.set(metric, [...points]);
    else for (const point of points) known.push(point);
  };
  for (const { worker, families } of processes) {
    const own = worker === null ? {} : { 'tidegate.worker': String(worker) };
    for (const { metric, points } of families ?? []) {
      add(
        metric,
        points.map((point) => ({ ...point, labels: { ...point.labels, ...own } })),
      );
    }
    if (worker !== null) add('workerUp', [{ labels: own, value: families === null ? 0 : 1 }]);
  }
  return Array.from(all, ([metric, points]) => ({ metric, points })).filter(({ points }) => points.length > 0);
}

export interface OtlpOptions {
  resource: Resource;
  url: string;
  intervalMs: number;
  collect(): Family[];
}

/** Exports this process's metrics by the clock. A failed export is not repeated: the next one has its counts. */
export function startOtlpMetrics({ resource, url, intervalMs, collect }: OtlpOptions): { stop(): Promise<void> } {
  const exporter = new OTLPMetricExporter({ url });
  const isDelta = exporter.selectAggregationTemporality(InstrumentType.COUNTER) === AggregationTemporality.DELTA;
  const deltas = isDelta ? createDeltas() : undefined;
  let from = startTime;
  const producer: MetricProducer = {
    collect() {
      const endTime = hrTimeAt(Date.now());
      const metrics = collect()
        .filter(({ points }) => points.length > 0)
        .map((family) => metricOf(family, { endTime, nameOf: ({ name }) => name, deltas, startTime: from }));
      deltas?.exported();
      if (isDelta) from = endTime;
      return Promise.resolve({ resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] });
    },
  };
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, 10_000),
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { stop: () => provider.shutdown({ timeoutMillis: stopMs }) };
}

/** Maximum milliseconds of the last export. */
const stopMs = 2000;

interface Writing {
  endTime: HrTime;
  nameOf(spec: MetricSpec): string;
  /** Reports differences; if undefined, sums since the start. */
  deltas?: Deltas | undefined;
  startTime?: HrTime;
}

function metricOf({ metric, points }: Family, { endTime, nameOf, deltas, startTime: from = startTime }: Writing): MetricData {
  const spec: MetricSpec = metricSpecs[metric];
  const { unit, help: description, kind } = spec;
  const descriptor = { name: nameOf(spec), description, unit, valueType: ValueType.DOUBLE };
  const aggregationTemporality =
    deltas === undefined || kind === 'gauge' ? AggregationTemporality.CUMULATIVE : AggregationTemporality.DELTA;
  const base = { descriptor, aggregationTemporality };
  const at = <Value>(attributes: NumberPoint['labels'], value: Value): DataPoint<Value> => ({
    startTime: from,
    endTime,
    attributes: { ...attributes },
    value,
  });
  if (kind === 'histogram') {
    const { buckets = [] } = spec;
    const dataPoints = points.flatMap((point) =>
      'counts' in point ? [at(point.labels, histogramOf(deltas?.of(metric, point) ?? point, buckets))] : [],
    );
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const numbers = points.flatMap((point) => ('value' in point ? [point] : []));
  if (kind === 'gauge') {
    return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: numbers.map(({ labels, value }) => at(labels, value)) };
  }
  const dataPoints = numbers.map((point) => at(point.labels, (deltas?.of(metric, point) ?? point).value));
  return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

function histogramOf({ counts, sum }: HistogramPoint, boundaries: readonly number[]): Histogram {
  return { buckets: { boundaries: [...boundaries], counts }, sum, count: counts.reduce((all, count) => all + count, 0) };
}

function hrTimeAt(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1_000_000];
}
