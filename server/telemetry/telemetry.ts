// What a process measures and exports, by the environment. The SDK is loaded only if something is exported.
import type { Logger } from 'pino';
import type { Env } from '#server/env.ts';
import { startMetricsServer } from '#server/telemetry/metrics-server.ts';
import { type Processes, processesOf, workerProcesses } from '#server/telemetry/processes.ts';
import { createRegistry, type Registry } from '#server/telemetry/registry.ts';
import type { Traces } from '#server/telemetry/traces.ts';

export interface Telemetry {
  /** Null if nothing exports metrics. */
  readonly registry: Registry | null;
  /** Null if spans are not exported. */
  readonly traces: Traces | null;
  /** Returns the metrics of all processes in the Prometheus format. */
  scrape(): Promise<string>;
  /** Exports what is left, for a bounded time. Never rejects. */
  stop(): Promise<void>;
}

/** Returns null if nothing is exported: then nothing is measured. */
export async function startTelemetry(env: Env, log: Logger): Promise<Telemetry | null> {
  const metricsUrl = otlpUrl(env, 'metrics');
  const tracesUrl = otlpUrl(env, 'traces');
  const isMeasured = isScraped(env) || metricsUrl !== null;
  if (!isMeasured && tracesUrl === null) return null;
  const { createResource } = await import('#server/telemetry/otel-resource.ts');
  const { logTelemetryFailures } = await import('#server/telemetry/otel-log.ts');
  logTelemetryFailures(log);
  const resource = createResource(env.OTEL_SERVICE_NAME);
  const registry = isMeasured ? createRegistry() : null;
  const stops: (() => Promise<void> | void)[] = [];
  let processes: Processes | null = null;
  let traces: Traces | null = null;
  if (registry !== null) {
    processes = processesOf(registry);
    stops.push(processes.stop);
  }
  if (registry !== null && metricsUrl !== null) {
    const { startOtlpMetrics } = await import('#server/telemetry/otel-metrics.ts');
    const options = { resource, url: metricsUrl, intervalMs: env.OTEL_METRIC_EXPORT_INTERVAL, collect: registry.collect };
    stops.push(startOtlpMetrics(options).stop);
  }
  if (tracesUrl !== null) {
    const { startTraces } = await import('#server/telemetry/otel-traces.ts');
    traces = startTraces({ resource, url: tracesUrl, env });
    stops.push(traces.stop);
  }
  return {
    registry,
    traces,
    async scrape() {
      if (processes === null) throw new Error('Nothing is measured');
      const { prometheusText } = await import('#server/telemetry/otel-metrics.ts');
      return prometheusText(resource, await processes.collect());
    },
    async stop() {
      await Promise.allSettled(stops.map(async (stop) => stop()));
    },
  };
}

/** Gathers the workers' metrics in the primary process, and serves them on their port. Called before the workers are started. */
export async function servePrimaryMetrics(env: Env, log: Logger): Promise<void> {
  if (!isScraped(env)) return;
  const processes = workerProcesses();
  if (env.METRICS_PORT === undefined) return;
  const { createResource } = await import('#server/telemetry/otel-resource.ts');
  const { prometheusText } = await import('#server/telemetry/otel-metrics.ts');
  const resource = createResource(env.OTEL_SERVICE_NAME);
  await openMetricsPort(env, { log, scrape: async () => prometheusText(resource, await processes.collect()) });
}

/** Listens on METRICS_PORT; null if it is not set. @throws {Error} if the address cannot be used */
export async function openMetricsPort(
  env: Env,
  { log, scrape }: { log: Logger; scrape(): Promise<string> },
): Promise<{ close(): Promise<void> } | null> {
  if (env.METRICS_PORT === undefined) return null;
  const server = await startMetricsServer({ port: env.METRICS_PORT, host: env.METRICS_HOST, token: env.METRICS_TOKEN, log, scrape });
  const isOpen = env.METRICS_TOKEN === undefined && !/^(?:127\.|::1$|localhost$)/.test(env.METRICS_HOST);
  if (isOpen) log.warn('METRICS_HOST opens the metrics to everybody who reaches it: METRICS_TOKEN restricts them');
  log.info({ host: env.METRICS_HOST, port: server.port }, 'metrics are served');
  return server;
}

function isScraped({ METRICS_PORT, METRICS_TOKEN }: Env): boolean {
  return METRICS_PORT !== undefined || METRICS_TOKEN !== undefined;
}

const exportersOf = { metrics: 'OTEL_METRICS_EXPORTER', traces: 'OTEL_TRACES_EXPORTER' } as const;
const endpointsOf = { metrics: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', traces: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' } as const;

/** Returns the address of the collector; null if that signal is not exported: without an address nothing is. */
function otlpUrl(env: Env, signal: 'metrics' | 'traces'): string | null {
  if (env.OTEL_SDK_DISABLED || env[exportersOf[signal]] === 'none') return null;
  const own = env[endpointsOf[signal]];
  if (own !== undefined) return own;
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) return `${env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/${signal}`;
  return env[exportersOf[signal]] === 'otlp' ? `http://localhost:4318/v1/${signal}` : null;
}
