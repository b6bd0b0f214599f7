// Spans of calls and of their attempts, as the rest of the server uses them. `otel-traces.ts` implements them.

/** Maximum characters of an attribute with content. */
export const longestContent = 16_384;

export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Traces {
  /** Whether spans hold prompts. */
  readonly capturesPrompts: boolean;
  open(name: string, opened: OpenedCall): CallTrace;
  stop(): Promise<void>;
}

export interface OpenedCall {
  facts: SpanFacts;
  /** Headers of the request, whose `traceparent` counts as TRACE_CALLERS says. */
  headers: Headers;
  /** Monotonic milliseconds. */
  startedAt: number;
}

export interface TracedSpan {
  /** Ends the span, once. `error`: class of the error, if it ended with one. */
  end(facts: SpanFacts, error: string | undefined): void;
}

export interface CallTrace extends TracedSpan {
  /** Whether the span is exported. */
  readonly isSampled: boolean;
  /** Sets the attribute `gen_ai.input.messages`, up to `longestContent`. */
  prompted(messages: string): void;
  /** Opens the span of an attempt. */
  attempt(name: string, facts: SpanFacts): AttemptTrace;
}

export interface AttemptTrace extends TracedSpan {
  /** Header that continues the trace at the provider. */
  readonly headers: Readonly<Record<string, string>>;
}
