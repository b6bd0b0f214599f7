// Writes parts as an interaction or its stream. https://ai.google.dev/gemini-api/docs/interactions/streaming
import { serverSentEvents } from '#server/framing/event-encoding.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../../client-dialect.ts';
import type { FinishReason, ResponsePart } from '../../parts.ts';
import { withUsage } from '../../token-usage.ts';
import { errorObject } from '#server/surfaces/interactions/errors.ts';
import { type EventSink, type Json, OutputSteps } from './output-steps.ts';
import { writeTokenUsage } from './token-usage.ts';

export function writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  const interaction = new OpenInteraction(options, { event: () => {}, delta: () => {} });
  for (const part of parts) interaction.write(part);
  return interaction.ended(usage);
}

export function createStreamWriter(options: ResponseWriterOptions): StreamWriter {
  return new InteractionStreamWriter(options);
}

const filtered = { code: 'content_filter', message: 'The response was stopped by a content filter.' };
const malformed = { code: 'malformed_function_call', message: 'The arguments of a call are no object.' };

/** State of the interaction being written. */
class OpenInteraction {
  readonly #options: ResponseWriterOptions;
  readonly #steps: OutputSteps;
  #model: string;
  #usage: TokenUsage | null = null;
  #reason: FinishReason = 'stop';

  constructor(options: ResponseWriterOptions, sink: EventSink) {
    this.#options = options;
    this.#model = options.model;
    this.#steps = new OutputSteps(sink);
  }

  get id(): string {
    return `v1_${this.#options.requestId}`;
  }

  /** Writes a part. Other choices than the first are dropped: the format has one. */
  write(part: ResponsePart): void {
    if ('choice' in part && part.choice !== undefined && part.choice !== 0) return;
    if (part.type === 'start') this.#model = part.model || this.#model;
    else if (part.type === 'usage') this.#usage = withUsage(this.#usage, part.usage);
    else if (part.type === 'finish') this.#reason = part.reason;
    else this.#steps.write(part);
  }

  /** Returns the interaction without its output. */
  shell(status: string): Json {
    const { createdAt, now } = this.#options;
    const created = timeOf(createdAt);
    return {
      id: this.id,
      object: 'interaction',
      model: this.#model,
      status,
      created,
      updated: now === undefined ? created : timeOf(now()),
    };
  }

  ended(usage: TokenUsage | null): Json {
    this.#steps.close();
    const counted = usage ?? this.#usage;
    const error = this.#reason === 'content_filter' ? filtered : this.#steps.isMalformed ? malformed : null;
    const interaction = {
      ...this.shell(this.#status()),
      steps: this.#steps.steps,
      ...(error === null ? {} : { errors: [error] }),
      ...(counted === null ? {} : { usage: writeTokenUsage(counted) }),
    };
    this.#options.onComplete?.(interaction);
    return interaction;
  }

  #status(): string {
    if (this.#reason === 'length' || this.#reason === 'content_filter' || this.#steps.isMalformed) return 'incomplete';
    return this.#steps.hasCalls ? 'requires_action' : 'completed';
  }
}

class InteractionStreamWriter implements StreamWriter, EventSink {
  readonly #interaction: OpenInteraction;
  #number = 0;
  #hasBegun = false;
  #written = '';

  constructor(options: ResponseWriterOptions) {
    this.#interaction = new OpenInteraction(options, this);
  }

  event(type: string, fields: Json): void {
    this.#add(type, JSON.stringify({ event_type: type, ...fields, event_id: this.#nextId() }));
  }

  delta(index: number, delta: string): void {
    this.#add('step.delta', `{"event_type":"step.delta","index":${index},"delta":${delta},"event_id":"${this.#nextId()}"}`);
  }

  /** Numbers events, so that a client can resume after the last one it received. */
  #nextId(): string {
    this.#number += 1;
    return String(this.#number);
  }

  #add(type: string, json: string): void {
    this.#written += serverSentEvents.event(type, json);
  }

  write(part: ResponsePart): string {
    // The first event contains the head, which must be known.
    if (part.type !== 'start') this.#begin();
    this.#interaction.write(part);
    if (part.type === 'start') this.#begin();
    return this.#take();
  }

  keepAlive(): string {
    return ': keep-alive\n\n';
  }

  fail(error: ErrorObject): string {
    this.event('error', { error: errorObject(error) });
    return this.#take();
  }

  end(usage: TokenUsage | null): string {
    this.#begin();
    const interaction = this.#interaction.ended(usage);
    this.event('interaction.completed', { interaction });
    return this.#take();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const status = 'in_progress';
    this.event('interaction.created', { interaction: this.#interaction.shell(status) });
    this.event('interaction.status_update', { interaction_id: this.#interaction.id, status });
  }

  #take(): string {
    const written = this.#written;
    this.#written = '';
    return written;
  }
}

/** @param at Unix seconds */
function timeOf(at: number): string {
  return `${new Date(at * 1000).toISOString().slice(0, 19)}Z`;
}
