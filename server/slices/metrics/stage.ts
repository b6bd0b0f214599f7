// Metrics of calls. Applies only while something exports them.
import type { AppContext } from '#server/context.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { attemptErrorType } from '#server/call/settlement/error-type.ts';
import type { AttemptEnd, EndedCall } from '#server/call/ended-call.ts';
import type { CallStage, EndedAttempt, StageRun } from '#server/call/stages.ts';
import type { LogOther } from '#shared/logs.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { operationOf } from '#server/telemetry/names.ts';
import { type CallSeries, createCallSeries } from '#server/slices/metrics/call-series.ts';
import { createKnownNames } from '#server/slices/metrics/known-names.ts';

export function metricsStage({ telemetry, channels }: Pick<AppContext, 'telemetry' | 'channels'>): CallStage {
  const registry = telemetry?.registry ?? null;
  const series = registry === null ? null : createCallSeries(registry, createKnownNames(channels, registry));
  return {
    name: 'metrics',
    applies: ({ kind }) => series !== null && !kind.isCount,
    open: ({ endpoint: { kind }, requested: { model } }) =>
      series === null ? null : new MeasuredCall(series, operationOf(kind.name), model),
    refused: ({ code }) => series?.refused(code),
  };
}

export class MeasuredCall implements StageRun {
  readonly #series: CallSeries;
  readonly #operation: string;
  readonly #model: string;
  #isSettled = false;

  constructor(series: CallSeries, operation: string, model: string) {
    this.#series = series;
    this.#operation = operation;
    this.#model = model;
  }

  attempted({ channel, record, isPassedOver }: EndedAttempt, end: AttemptEnd): void {
    if (isPassedOver === true) return;
    const line = this.#series.line(this.#operation, this.#model, channel.id);
    line.attempted((record.end_ms - record.start_ms) / 1000, attemptErrorType(end));
  }

  settling(row: ChargeRow, { attempts }: RunningCall, { usage, firstByteMs }: EndedCall): void {
    this.#isSettled = true;
    const other: LogOther | null = row.other;
    const { channel_id, is_stream: isStream } = row;
    const line = this.#series.line(this.#operation, this.#model, channel_id);
    const durationMs = other?.duration_ms ?? 0;
    line.settled({ error: other?.ending, isStream, durationMs, firstByteMs, usage, attempts: attempts.length });
  }

  closed(call: RunningCall): void {
    if (this.#isSettled || call.attempts.length === 0) return;
    // A free call is closed right before it is settled.
    queueMicrotask(() => this.#failed(call));
  }

  /** A call that was sent and not settled has failed by a fault of the gateway. */
  #failed({ attempts, startedAt }: RunningCall): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const line = this.#series.line(this.#operation, this.#model, attempts.at(-1)?.channel ?? 0);
    const durationMs = performance.now() - startedAt;
    line.settled({ error: 'fault', isStream: false, durationMs, firstByteMs: undefined, usage: null, attempts: attempts.length });
  }
}
