// Writes parts as a Responses response or stream.
import { type EventEncoding, serverSentEvents } from '#server/framing/event-encoding.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../client-dialect.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { FinishReason, ResponsePart } from '../parts.ts';
import { withUsage } from '../token-usage.ts';
import { responseId } from '../vendor-ids.ts';
import { callIds } from './call-ids.ts';
import { CompactionItem } from './compaction-item.ts';
import { failureEvents, responseError } from './errors.ts';
import { incompleteReason } from './finish-reason.ts';
import { keepAlive } from './keep-alive.ts';
import { type EventSink, type Json, OutputItems } from './output-items.ts';
import { responseShell } from './present-response.ts';
import { writeTokenUsage } from './token-usage.ts';
import { toolMappings } from './tool-mappings.ts';

export function writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  const response = new OpenResponse(options, { event: () => {}, delta: () => {} });
  for (const part of parts) response.write(part);
  return response.ended(usage).response;
}

export function createStreamWriter(options: ResponseWriterOptions): StreamWriter {
  return new ResponseStreamWriter(options);
}

/** State of the response being written. */
class OpenResponse {
  readonly #options: ResponseWriterOptions;
  readonly #items: OutputItems | CompactionItem;
  #start: Extract<ResponsePart, { type: 'start' }> = { type: 'start', id: '', model: '' };
  #usage: TokenUsage | null = null;
  #reason: FinishReason = 'stop';

  constructor(options: ResponseWriterOptions, sink: EventSink) {
    this.#options = options;
    const { requestId, requested = {} } = options;
    const tools = [requested['tools'], requested['loaded_tools']].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
    if (requested['is_compaction'] === true) {
      this.#items = new CompactionItem(sink, `cmp_${requestId}0`);
      return;
    }
    this.#items = new OutputItems(sink, toolMappings(tools), {
      item: (prefix, index) => `${prefix}_${requestId}${index}`,
      call: (id) => callIds.write(id, options),
    });
  }

  /** Writes a part. Other choices than the first are dropped: the format has one. */
  write(part: ResponsePart): void {
    if ('choice' in part && part.choice !== undefined && part.choice !== 0) return;
    if (part.type === 'start') this.#start = part;
    else if (part.type === 'usage') this.#usage = withUsage(this.#usage, part.usage);
    else if (part.type === 'finish') this.#reason = part.reason;
    else this.#items.write(part);
  }

  /** Returns the unfinished response. */
  shell(): Json {
    const { model, createdAt, requested } = this.#options;
    const { id, model: reported, createdAt: at } = this.#start;
    const head = { id: responseId('resp_', id, this.#options), model: reported || model, createdAt: at ?? createdAt };
    return responseShell(head, requested);
  }

  ended(usage: TokenUsage | null): { status: string; response: Json } {
    const reason = incompleteReason(this.#reason);
    const status = reason === null ? 'completed' : 'incomplete';
    this.#items.close(status);
    const counted = usage ?? this.#usage;
    const response = {
      ...this.shell(),
      status,
      completed_at: reason === null ? (this.#options.now?.() ?? this.#options.createdAt) : null,
      incomplete_details: reason === null ? null : { reason },
      output: this.#items.items,
      usage: counted === null ? null : writeTokenUsage(counted),
    };
    this.#options.onComplete?.(response);
    return { status, response };
  }

  /** Returns the failed response, without output, because some of it may not have been sent. */
  failed(error: ErrorObject): Json {
    return { ...this.shell(), status: 'failed', error: responseError(error) };
  }
}

class ResponseStreamWriter implements StreamWriter, EventSink {
  readonly #response: OpenResponse;
  readonly #envelope: EventEncoding;
  #sequence = 0;
  #hasBegun = false;
  #written = '';

  constructor(options: ResponseWriterOptions) {
    this.#response = new OpenResponse(options, this);
    this.#envelope = options.envelope ?? serverSentEvents;
  }

  event(type: string, fields: Json): void {
    this.#written += this.#envelope.event(type, JSON.stringify({ type, sequence_number: this.#sequence, ...fields }));
    this.#sequence += 1;
  }

  delta(type: string, place: string, text: string): void {
    const head = `{"type":"${type}","sequence_number":${this.#sequence},${place}`;
    this.#written += this.#envelope.event(type, `${head},"delta":${JSON.stringify(text)}}`);
    this.#sequence += 1;
  }

  write(part: ResponsePart): string {
    // The first event contains the head, which must be known.
    if (part.type !== 'start') this.#begin();
    this.#response.write(part);
    if (part.type === 'start') this.#begin();
    return this.#take();
  }

  keepAlive(): string {
    return this.#envelope.isMessages ? '' : keepAlive;
  }

  fail(error: ErrorObject): string {
    const place = { sequence: this.#sequence, hasBegun: this.#hasBegun, envelope: this.#envelope };
    return failureEvents(error, this.#response.failed(error), place);
  }

  end(usage: TokenUsage | null): string {
    this.#begin();
    const { status, response } = this.#response.ended(usage);
    this.event(`response.${status}`, { response });
    return this.#take();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const response = this.#response.shell();
    this.event('response.created', { response });
    this.event('response.in_progress', { response });
  }

  #take(): string {
    const written = this.#written;
    this.#written = '';
    return written;
  }
}
