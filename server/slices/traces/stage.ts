// Spans of calls and of their attempts. Applies only while they are exported. Prompts and responses are never part of them; the request id
// finds the log row with everything else.
import type { AppContext } from '#server/context.ts';
import { storesNothing } from '#server/call/admission/admission.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { attemptErrorType } from '#server/call/settlement/error-type.ts';
import type { AttemptEnd, EndedCall } from '#server/call/ended-call.ts';
import type { CallStage, EndedAttempt, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { operationOf, providerNameOf } from '#server/telemetry/names.ts';
import { inputMessages } from '#server/slices/traces/prompt-facts.ts';
import type { AttemptTrace, CallTrace, SpanFacts, Traces } from '#server/telemetry/traces.ts';
import type { LogOther } from '#shared/logs.ts';
import { inputTokens } from '#shared/token-usage.ts';

export function tracesStage({ telemetry, settings }: Pick<AppContext, 'telemetry' | 'settings'>): CallStage {
  const traces = telemetry?.traces ?? null;
  return {
    name: 'traces',
    applies: ({ kind }) => traces !== null && !kind.isCount,
    open: () => (traces === null ? null : new TracedCall(traces, () => settings.get('QuotaPerUnit'))),
  };
}

class TracedCall implements StageRun {
  readonly #traces: Traces;
  readonly #quotaPerUnit: () => number;
  #trace: CallTrace | undefined;
  #attempt: AttemptTrace | undefined;
  #end: { facts: SpanFacts; error: string | undefined } | undefined;

  constructor(traces: Traces, quotaPerUnit: () => number) {
    this.#traces = traces;
    this.#quotaPerUnit = quotaPerUnit;
  }

  reserved(call: RunningCall): void {
    // The span of a turn begins when the turn does.
    if (call.endpoint.kind.isInSession !== true) this.#open(call);
  }

  begun(call: RunningCall): Promise<void> {
    this.#open(call);
    return Promise.resolve();
  }

  #open(call: RunningCall): void {
    const { turn, endpoint, model, requestId, stream, startedAt } = call;
    const operation = operationOf(endpoint.kind.name);
    const facts = {
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': model,
      'gen_ai.request.stream': stream !== null,
      'tidegate.request.id': requestId,
    };
    this.#trace = this.#traces.open(`${operation} ${model}`, { facts, headers: turn.request.headers, startedAt });
    if (!this.#traces.capturesPrompts || !this.#trace.isSampled || storesNothing(call.admission)) return;
    const messages = inputMessages(call);
    if (messages !== undefined) this.#trace.prompted(messages);
  }

  before({ model, endpoint }: RunningCall, { channel, route }: CallAttempt): null {
    const operation = operationOf(endpoint.kind.name);
    const upstreamModel = route?.upstreamModel ?? model;
    const url = route === null ? null : URL.parse(route.origin);
    this.#attempt = this.#trace?.attempt(`${operation} ${upstreamModel}`, {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': providerNameOf(channel.provider?.name),
      'gen_ai.request.model': upstreamModel,
      'server.address': url?.hostname,
      'server.port': url === null ? undefined : Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
      'tidegate.channel.id': channel.id,
    });
    return null;
  }

  request(sending: CallToSend): void {
    sending.traceHeaders = this.#attempt?.headers;
  }

  attempted({ record }: EndedAttempt, end: AttemptEnd): void {
    const { status, start_ms, first_byte_ms } = record;
    const facts = {
      'http.response.status_code': status === 0 ? undefined : status,
      'gen_ai.response.time_to_first_chunk': first_byte_ms === undefined ? undefined : (first_byte_ms - start_ms) / 1000,
    };
    this.#attempt?.end(facts, attemptErrorType(end));
    this.#attempt = undefined;
  }

  settling(row: ChargeRow, { attempts }: RunningCall, { usage }: EndedCall): void {
    const facts = {
      'gen_ai.usage.input_tokens': usage === null ? undefined : inputTokens(usage),
      'gen_ai.usage.output_tokens': usage?.output,
      'gen_ai.usage.cache_read.input_tokens': usage === null || usage.cacheRead === 0 ? undefined : usage.cacheRead,
      'gen_ai.usage.reasoning.output_tokens': usage === null || usage.reasoning === 0 ? undefined : usage.reasoning,
      'tidegate.charge.usd': row.quota / this.#quotaPerUnit(),
      'tidegate.attempts': attempts.length,
    };
    const other: LogOther | null = row.other;
    this.#end = { facts, error: other?.ending };
  }

  closed(call: RunningCall): void {
    // A free call is closed right before it is settled.
    if (this.#end === undefined) queueMicrotask(() => this.#close(call));
    else this.#close(call);
  }

  #close({ attempts }: RunningCall): void {
    this.#attempt?.end({}, 'cancelled');
    this.#attempt = undefined;
    // Without a settlement, the call was sent to no channel or has failed by a fault.
    const { facts, error } = this.#end ?? { facts: {}, error: attempts.length === 0 ? 'refused' : 'fault' };
    this.#trace?.end(facts, error);
    this.#trace = undefined;
  }
}
