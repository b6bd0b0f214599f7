// Forwards a stream of this format as bytes. Parses only events with usage, an end, an error or a block start; deltas are searched for text
// once enough bytes are buffered or a count is needed.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, firstEvent, startOfEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamInput } from '../identity.ts';
import { textOf } from '../text-in-events.ts';
import { textOfPart } from '../parts.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import {
  type ErrorInResponse,
  errorInResponse,
  type PipeStep,
  type ReportedUsage,
  type StreamOpening,
  type StreamPipe,
} from '../stream-pipe.ts';
import type { TextTally } from '../text-tally.ts';
import { UsageSoFar } from '../token-usage.ts';
import { errorEvent } from './errors.ts';
import { presentContainer } from './containers.ts';
import { hostedKindOf } from './hosted-blocks.ts';
import { keepAlive } from './keep-alive.ts';
import { createStreamReader, readError } from './read-response.ts';
import { endingParts } from '../finish-reasons.ts';
import { readStopReason } from './stop-reason.ts';
import { usageParts, writeTokenUsage } from './token-usage.ts';

/** Bytes of buffered events before their text is extracted. */
const storedBytes = 16 * 1024;
/** Matches `"message_start"`, `"message_delta"` and `"message_stop"`, but no text, in which quotes are escaped. */
const messageKey = Buffer.from('"message_');
const errorKey = Buffer.from('"error"');
/** Matches `"content_block_start"`, `"content_block_delta"` and `"content_block_stop"`. */
const blockKey = Buffer.from('"content_block_');
const blockStartKey = Buffer.from('"content_block_start"');
/** Matches hosted tool calls. They are counted, because a stream that breaks off has no final usage. */
const hostedKey = Buffer.from('"server_tool_use"');
/** Matches the text fields of deltas. */
const deltaTextKey = /"(?:text|thinking|partial_json)"/g;

export class ClaudeIdentityStream implements StreamPipe {
  readonly #tally: TextTally;
  readonly #requestId: string;
  readonly #restoreObjectId: StreamInput['restoreObjectId'];
  #stored: Buffer[] = [];
  #storedBytes = 0;
  #bytes = 0;
  readonly #usageSoFar = new UsageSoFar();
  #hasStopped = false;
  /** Runs of hosted tools so far. */
  #runs: HostedCalls = {};
  // Offsets in the stream's bytes; 0 if there is none yet: of the last output count (except the initial zero), of the last
  // stop reason, and of the last text.
  #usageAt = 0;
  #finishAt = 0;
  #textAt = 0;

  constructor({ tally, writer, restoreObjectId }: Pick<StreamInput, 'tally' | 'writer' | 'restoreObjectId'>) {
    this.#restoreObjectId = restoreObjectId;
    this.#tally = tally;
    this.#requestId = writer.requestId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const event = firstEvent(events);
    if (event === null) return 'comments';
    const body = parseObject(event.data);
    if (body === null) return 'invalid';
    return errorOf(body) ?? 'stream';
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    let error: ErrorInResponse | null = null;
    let end = events.length;
    const presented: PresentedEvent[] = [];
    for (const { from, to } of reportingEvents(events)) {
      const data = dataIn(events, from, to);
      const body = data === null ? null : parseObject(data);
      if (body === null) continue;
      error = errorOf(body);
      if (error !== null) {
        // Usage in an error counts the output so far.
        this.#noteUsage(body['usage'], this.#bytes + from);
        end = from;
        break;
      }
      this.#note(body, this.#bytes + to);
      if (this.#restoreObjectId !== undefined) {
        const event = events.subarray(from, to);
        const bytes = presentContainer(event, body['message'] ?? body['delta'], this.#restoreObjectId);
        if (bytes !== event) presented.push({ from, to, bytes });
      }
      if (this.#hasStopped) {
        // Anything after the provider's end is dropped.
        end = from;
        break;
      }
    }
    const content = end === events.length ? events : events.subarray(0, end);
    this.#noteText(content);
    this.#noteRuns(content);
    this.#keep(content, isOwned);
    return {
      forClient: content.length === 0 ? [] : withPresented(content, presented),
      next: error ?? (this.#hasStopped ? 'complete' : 'more'),
    };
  }

  #note(body: Readonly<Record<string, unknown>>, at: number): void {
    const { message, delta, usage } = body;
    switch (body.type) {
      case 'message_start':
        if (isObject(message)) this.#noteUsage(message.usage, 0);
        break;
      case 'message_delta':
        if (isObject(delta)) this.#noteEnding(delta.stop_reason, at);
        this.#noteUsage(usage, at);
        break;
      case 'message_stop':
        this.#hasStopped = true;
        break;
      default:
    }
  }

  #noteEnding(reason: unknown, at: number): void {
    const ending = endingParts(readStopReason(reason));
    for (const part of ending) this.#usageSoFar.note(part);
    if (ending.length > 0) this.#finishAt = at;
  }

  #noteRuns(events: Buffer): void {
    if (this.#hasStopped) return;
    for (let at = events.indexOf(hostedKey); at >= 0; at = events.indexOf(hostedKey, endOfEvent(events, at))) {
      const data = dataIn(events, startOfEvent(events, at), endOfEvent(events, at));
      const block = data === null ? undefined : parseObject(data)?.['content_block'];
      if (!isObject(block) || block.type !== 'server_tool_use') continue;
      const kind = hostedKindOf(typeof block.name === 'string' ? block.name : '');
      const runs = kind === 'code_execution' ? 1 : (this.#runs[kind] ?? 0) + 1;
      this.#runs = { ...this.#runs, [kind]: runs };
    }
  }

  #noteUsage(value: unknown, at: number): void {
    for (const part of usageParts(value)) {
      this.#usageSoFar.note(part);
      const reportsOutput = part.type === 'usage' ? part.usage.output !== undefined : part.type === 'invalid_usage';
      if (reportsOutput) this.#usageAt = at;
    }
  }

  /** Examines events in detail only after a usage or an end, because a delta may have no text. */
  #noteText(events: Buffer): void {
    const isCloser = this.#usageAt > 0 || this.#finishAt > 0;
    for (let end = events.length; end > 0;) {
      const at = events.lastIndexOf(blockKey, end - 1);
      if (at < 0) return;
      const from = startOfEvent(events, at);
      if (!isCloser || textsOf(events.subarray(from, endOfEvent(events, at))) !== '') {
        this.#textAt = this.#bytes + endOfEvent(events, at);
        return;
      }
      end = from;
    }
  }

  #keep(events: Buffer, isOwned: boolean): void {
    this.#bytes += events.length;
    this.#stored.push(isOwned ? events : Buffer.from(events));
    this.#storedBytes += events.length;
    if (this.#storedBytes > storedBytes) this.#readStored();
  }

  #readStored(): void {
    for (const events of this.#stored) this.#tally.add(textsOf(events));
    this.#stored = [];
    this.#storedBytes = 0;
  }

  isEvent(rest: Buffer): boolean {
    const data = dataIn(rest, 0, rest.length);
    return data !== null && parseObject(data) !== null;
  }

  hasContent(): boolean {
    const isStored = this.#storedBytes < this.#bytes || this.#stored.some((events) => textsOf(events) !== '');
    return isStored || Object.keys(this.#runs).length > 0;
  }

  hasFinished(): boolean {
    return this.#finishAt > this.#textAt;
  }

  roughTokens(): number {
    // Estimate: most events have one or two tokens in about 120 bytes.
    return Math.max(Math.ceil(this.#storedBytes / 120) + this.#tally.roughTokens, 0);
  }

  reportedUsage(): ReportedUsage {
    const reported = this.#usageSoFar.report(this.#textAt > this.#usageAt);
    const hosted = { ...this.#runs, ...reported.hosted };
    return Object.keys(hosted).length === 0 ? reported : { ...reported, hosted };
  }

  countTokens(): Promise<number> {
    this.#readStored();
    return this.#tally.countTokens();
  }

  keepAlive(): string {
    return keepAlive(this.#bytes > 0);
  }

  fail(error: ErrorObject): string {
    return errorEvent(error, this.#requestId);
  }

  /** Returns the upstream's end, which was held back; adds `usage` if the upstream reported none. */
  ending(usage: TokenUsage | null): Buffer {
    const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
    if (this.#usageAt > 0 || usage === null || this.#finishAt > 0) return Buffer.from(stop);
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: writeTokenUsage(usage) };
    return Buffer.from(`event: message_delta\ndata: ${JSON.stringify(delta)}\n\n${stop}`);
  }

  close(): void {
    this.#stored = [];
    this.#tally.clear();
  }
}

interface PresentedEvent {
  from: number;
  to: number;
  /** Bytes for the client in place of the event. */
  bytes: Buffer;
}

function withPresented(events: Buffer, presented: readonly PresentedEvent[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { from, to, bytes } of presented) {
    if (from > at) pieces.push(events.subarray(at, from));
    pieces.push(bytes);
    at = to;
  }
  if (at < events.length) pieces.push(events.subarray(at));
  return pieces;
}

/** Yields the positions of events that contain one of the keys, in order. */
function* reportingEvents(events: Buffer): Generator<{ from: number; to: number }> {
  let message = events.indexOf(messageKey);
  let error = events.indexOf(errorKey);
  while (message >= 0 || error >= 0) {
    const at = message < 0 ? error : error < 0 ? message : Math.min(message, error);
    const from = startOfEvent(events, at);
    const to = endOfEvent(events, at);
    yield { from, to };
    if (message >= 0 && message < to) message = events.indexOf(messageKey, to);
    if (error >= 0 && error < to) error = events.indexOf(errorKey, to);
  }
}

/** Returns the text that the model wrote in complete events. */
function textsOf(events: Buffer): string {
  let text = '';
  let from = 0;
  for (let at = events.indexOf(blockStartKey); at >= 0; at = events.indexOf(blockStartKey, from)) {
    text += textOf(events.toString('utf8', from, startOfEvent(events, at)), deltaTextKey);
    const to = endOfEvent(events, at);
    // A block may start with text, a name or its whole input.
    const data = dataIn(events, startOfEvent(events, at), to);
    if (data !== null) text += createStreamReader().read({ name: '', data }).map(textOfPart).join('');
    from = to;
  }
  return text + textOf(events.toString('utf8', from), deltaTextKey);
}

function errorOf(body: Readonly<Record<string, unknown>>): ErrorInResponse | null {
  const error = readError(body);
  if (error !== null) return errorInResponse(error);
  const ending = isObject(body['delta']) ? readStopReason(body['delta']['stop_reason']) : null;
  return ending !== null && 'failure' in ending ? ending.failure : null;
}
