// Overwrites the response fields that the gateway owns: id, previous response, conversation, store, background. Only the
// first events and the last one of a stream contain the response; the others pass unchanged, unless items are edited.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { type EventEncoding, serverSentEvents } from '#server/framing/event-encoding.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { PipeStep, StreamPipe } from '#server/formats/stream-pipe.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import { WrappedStream } from '#server/formats/wrapped-stream.ts';

export type Json = Record<string, unknown>;
export type EditResponse = (response: Json) => Json;

export interface StreamEdits {
  response: EditResponse;
  /** Edits items; null if they, and all events without a response, pass unchanged. */
  item: ((item: unknown) => unknown) | null;
  /** Item inserted before the model's output; null if there is none, so that events need no renumbering. */
  front: Readonly<Json> | null;
}

/** Events that add a complete item. */
const eventsOfItem = ['response.output_item.added', 'response.output_item.done'];

/** Returns the response in an event; null if it has none. */
function responseInEvent(event: Buffer, envelope: EventEncoding): { body: Json; response: Json } | null {
  const data = envelope.dataIn(event);
  const body = data === null ? null : parseObject(data);
  return body !== null && isObject(body.response) ? { body, response: body.response } : null;
}

/** Parses the last of the events; null unless it contains a response. `before`: the bytes of the other events. */
export function lastResponse(events: Buffer, envelope: EventEncoding): { before: Buffer; body: Json; response: Json } | null {
  let from = 0;
  for (let end = envelope.endOfEvent(events, from); end < events.length; end = envelope.endOfEvent(events, end)) from = end;
  const reported = responseInEvent(events.subarray(from), envelope);
  return reported === null ? null : { ...reported, before: events.subarray(0, from) };
}

/** Serializes an event for the client. */
export function writeEvent(body: Json, envelope = serverSentEvents): Buffer {
  return Buffer.from(envelope.event(String(body['type']), JSON.stringify(body)));
}

const heads: ReadonlySet<unknown> = new Set(['response.created', 'response.in_progress', 'response.queued']);

export class PresentedStream extends WrappedStream {
  readonly #edit: EditResponse;
  readonly #editItem: StreamEdits['item'];
  readonly #front: StreamEdits['front'];
  readonly #envelope: EventEncoding;
  #isFrontReported = false;
  /** The events at the head, which contain the response, have passed. */
  #isPastHead = false;

  constructor(pipe: StreamPipe, { response, item, front }: StreamEdits, envelope: EventEncoding) {
    super(pipe);
    this.#edit = response;
    this.#editItem = item;
    this.#front = front;
    this.#envelope = envelope;
  }

  protected override edit(step: PipeStep): PipeStep {
    if (this.#editsAll) return { ...step, forClient: step.forClient.map((piece) => this.#editAll(piece)) };
    if (this.#isPastHead) return step;
    return { ...step, forClient: step.forClient.map((piece) => (this.#isPastHead ? piece : this.#editHead(piece))) };
  }

  get #editsAll(): boolean {
    return this.#editItem !== null || this.#front !== null;
  }

  #editAll(piece: Buffer): Buffer {
    const edited: Buffer[] = [];
    for (let from = 0; from < piece.length;) {
      const end = this.#envelope.endOfEvent(piece, from);
      edited.push(this.#editEvent(piece.subarray(from, end)));
      from = end;
    }
    return Buffer.concat(edited);
  }

  #editEvent(event: Buffer): Buffer {
    const data = this.#envelope.dataIn(event);
    const body = data === null ? null : parseObject(data);
    if (body === null) return event;
    const before = this.#reportFront(body);
    const reported = { ...this.#renumbered(body) };
    if (isObject(body.response)) reported['response'] = this.#edit(body.response);
    if (this.#editItem !== null && body.item !== undefined) reported['item'] = this.#editItem(body.item);
    return Buffer.concat([...before, writeEvent(reported, this.#envelope)]);
  }

  /** Emits the inserted item once the response has begun, before the first item. */
  #reportFront({ type, sequence_number: next }: Json): Buffer[] {
    const item = this.#front;
    if (item === null || this.#isFrontReported || heads.has(type)) return [];
    this.#isFrontReported = true;
    const first = typeof next === 'number' ? next : 0;
    return eventsOfItem.map((name, index) =>
      writeEvent({ type: name, sequence_number: first + index, output_index: 0, item }, this.#envelope),
    );
  }

  /** Renumbers an event after the inserted item. */
  #renumbered(body: Json): Json {
    if (!this.#isFrontReported) return body;
    const { sequence_number: number, output_index: place } = body;
    return {
      ...body,
      ...(typeof number === 'number' ? { sequence_number: number + eventsOfItem.length } : {}),
      ...(typeof place === 'number' ? { output_index: place + 1 } : {}),
    };
  }

  #editHead(piece: Buffer): Buffer {
    const edited: Buffer[] = [];
    let from = 0;
    while (from < piece.length && !this.#isPastHead) {
      const end = this.#envelope.endOfEvent(piece, from);
      const event = piece.subarray(from, end);
      const reported = responseInEvent(event, this.#envelope);
      if (reported !== null && heads.has(reported.body['type'])) {
        edited.push(writeEvent({ ...reported.body, response: this.#edit(reported.response) }, this.#envelope));
        from = end;
      } else if (this.#envelope.dataIn(event) === null) {
        edited.push(event);
        from = end;
      } else this.#isPastHead = true;
    }
    return from === 0 ? piece : Buffer.concat([...edited, piece.subarray(from)]);
  }

  /** Edits the response in the events of a failure: one of them may be `response.failed`. */
  override fail(error: ErrorObject): string {
    const reported = Buffer.from(this.pipe.fail(error));
    const edited: Buffer[] = [];
    for (let from = 0; from < reported.length;) {
      const end = this.#envelope.endOfEvent(reported, from);
      const event = reported.subarray(from, end);
      const failed = responseInEvent(event, this.#envelope);
      if (failed !== null)
        edited.push(writeEvent({ ...this.#renumbered(failed.body), response: this.#edit(failed.response) }, this.#envelope));
      else edited.push(this.#isFrontReported ? this.#editEvent(event) : event);
      from = end;
    }
    return Buffer.concat(edited).toString('utf8');
  }

  override ending(usage: TokenUsage | null): Buffer {
    const ending = this.pipe.ending(usage);
    return this.#editsAll ? this.#editAll(ending) : ending;
  }
}
