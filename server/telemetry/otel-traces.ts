// Spans by the SDK, exported by OTLP. Contexts are handed on by the caller, so nothing follows asynchronous calls.
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Env } from '#server/env.ts';
import { type AttemptTrace, longestContent, type SpanFacts, type TracedSpan, type Traces } from '#server/telemetry/traces.ts';

export interface TraceOptions {
  resource: Resource;
  url: string;
  env: Pick<
    Env,
    | 'OTEL_TRACES_SAMPLER'
    | 'OTEL_TRACES_SAMPLER_ARG'
    | 'OTEL_BSP_MAX_QUEUE_SIZE'
    | 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'
    | 'OTEL_BSP_SCHEDULE_DELAY'
    | 'OTEL_BSP_EXPORT_TIMEOUT'
    | 'TRACE_CALLERS'
    | 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'
  >;
}

/** Maximum milliseconds of the last export. */
const stopMs = 2000;
/** Texts of callers, such as names of models, are cut. */
const longestText = 256;

export function startTraces({ resource, url, env }: TraceOptions): Traces {
  // Beyond the queue's size spans are dropped: a collector that takes none costs no more memory.
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url }),
    maxQueueSize: env.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: Math.min(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, env.OTEL_BSP_MAX_QUEUE_SIZE),
    scheduledDelayMillis: env.OTEL_BSP_SCHEDULE_DELAY,
    exportTimeoutMillis: env.OTEL_BSP_EXPORT_TIMEOUT,
  });
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(env),
    spanProcessors: [processor],
    // Other texts are cut by `known`.
    spanLimits: { attributeValueLengthLimit: longestContent },
  });
  const tracer = provider.getTracer('tidegate');
  const isContinued = env.TRACE_CALLERS === 'continue';
  return {
    capturesPrompts: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
    open(name, { facts, headers, startedAt }) {
      const callers = contextOf(headers);
      const callerSpan = trace.getSpanContext(callers);
      const links = isContinued || callerSpan === undefined ? [] : [{ context: callerSpan }];
      const span = tracer.startSpan(
        name.slice(0, longestText),
        { kind: SpanKind.SERVER, attributes: known(facts), links, startTime: performance.timeOrigin + startedAt },
        isContinued ? callers : ROOT_CONTEXT,
      );
      const context = trace.setSpan(ROOT_CONTEXT, span);
      return {
        ...endOf(span),
        isSampled: span.isRecording(),
        prompted: (messages) => void span.setAttribute('gen_ai.input.messages', messages),
        attempt: (attemptName, attemptFacts) => openAttempt(tracer, context, attemptName, attemptFacts),
      };
    },
    stop: () => Promise.race([provider.shutdown(), new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref())]),
  };
}

function openAttempt(tracer: Tracer, parent: Context, name: string, facts: SpanFacts): AttemptTrace {
  const span = tracer.startSpan(name.slice(0, longestText), { kind: SpanKind.CLIENT, attributes: known(facts) }, parent);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { ...endOf(span), headers: { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` } };
}

function endOf(span: Span): TracedSpan {
  return {
    end(facts, error) {
      if (!span.isRecording()) return;
      span.setAttributes(known({ ...facts, 'error.type': error }));
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const propagator = new W3CTraceContextPropagator();
const getter = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};

function contextOf(headers: Headers): Context {
  return headers.has('traceparent') ? propagator.extract(ROOT_CONTEXT, headers, getter) : ROOT_CONTEXT;
}

function known(facts: SpanFacts): Record<string, string | number | boolean> {
  const all: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) all[name] = typeof value === 'string' ? value.slice(0, longestText) : value;
  }
  return all;
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TraceOptions['env']): Sampler {
  const root = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('always_on')
      ? new AlwaysOnSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
