// What Node reports about the process: https://opentelemetry.io/docs/specs/semconv/runtime/nodejs-metrics/
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Registry } from '#server/telemetry/registry.ts';

const resolutionMs = 20;

/** Returns the function that stops the measurement. */
export function watchProcess(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  const one = (value: number) => [{ labels: {}, value }];
  // A sample includes the interval of the timer.
  const seconds = (nanoseconds: number) => one(Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000));
  registry.read('eventLoopMean', () => seconds(delays.mean));
  registry.read('eventLoopP99', () => seconds(delays.percentile(99)));
  // Read last: it resets the measurement for the next collection.
  registry.read('eventLoopMax', () => {
    const largest = delays.max;
    delays.reset();
    return seconds(largest);
  });
  registry.read('eventLoopUse', () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return one(utilization);
  });
  registry.read('heapUsed', () => one(getHeapStatistics().used_heap_size));
  registry.read('heapLimit', () => one(getHeapStatistics().heap_size_limit));
  registry.read('memory', () => one(process.memoryUsage.rss()));
  registry.read('cpu', () => {
    const { user, system } = process.cpuUsage();
    return [
      { labels: { 'cpu.mode': 'user' }, value: user / 1e6 },
      { labels: { 'cpu.mode': 'system' }, value: system / 1e6 },
    ];
  });
  registry.read('uptime', () => one(process.uptime()));
  return () => delays.disable();
}
