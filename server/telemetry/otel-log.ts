// What the SDK reports about itself: failed exports above all. An unreachable collector fails with every export, so one line a minute is logged.
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import type { Logger } from 'pino';

const betweenMs = 60_000;

/** Failures of exporters end here and nowhere else. */
export function logTelemetryFailures(log: Pick<Logger, 'warn'>): void {
  let lastAt = -Infinity;
  const report = (failure: unknown) => {
    const now = performance.now();
    if (now - lastAt < betweenMs) return;
    lastAt = now;
    log.warn({ reason: failure instanceof Error ? failure.message : String(failure) }, 'telemetry could not be exported');
  };
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler(report);
}
