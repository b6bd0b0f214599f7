// Forwards a stream of this format as bytes. Parses only final events and errors. The text of other events is extracted for
// counting once enough bytes are buffered or a count is needed.
import { type EventEncoding, serverSentEvents } from '#server/framing/event-encoding.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, firstEvent, startOfEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions } from '../client-dialect.ts';
import type { StreamInput } from '../identity.ts';
import { textOf } from '../text-in-events.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorInResponse, PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '../stream-pipe.ts';
import type { TextTally } from '../text-tally.ts';
import { UsageSoFar } from '../token-usage.ts';
import { failureEvents, responseError } from './errors.ts';
import { isEnd, isFailure } from './events.ts';
import { HostedRuns } from './hosted-items.ts';
import { endingParts } from '../finish-reasons.ts';
import { readFinish } from './finish-reason.ts';
import { keepAlive } from './keep-alive.ts';
import { errorOf } from './read-error.ts';
import { type ResponseHead, responseShell } from './present-response.ts';
import { includeReasoning, usageParts, writeTokenUsage } from './token-usage.ts';

/** Bytes of buffered events before their text is extracted. */
const storedBytes = 16 * 1024;
/** Keys of events that are parsed. They match no text, in which quotes are escaped. */
const reportingKeys = ['"response.completed"', '"response.incomplete"', '"response.failed"', '"response.cancelled"', '"error"'].map((key) =>
  Buffer.from(key),
);
const sequenceKey = Buffer.from('"sequence_number":');
/** Matches complete items. Those of hosted tools are counted, because runs are billed even if the stream breaks off. */
const itemDone = Buffer.from('"response.output_item.done"');
const hostedKeys = ['_search_call"', '"code_interpreter_call"', '"image_generation_call"', '"mcp_call"', '"shell_call"'].map((key) =>
  Buffer.from(key),
);
/** Matches the final event of a response without parsing it, which may be too deep. */
const deepEnd = /^\s*\{\s*"type"\s*:\s*"response\.(?:completed|incomplete|failed|cancelled)"/;
/** Matches the text field of deltas. */
const deltaTextKey = /"delta"/g;

export class ResponsesIdentityStream implements StreamPipe {
  readonly #tally: TextTally;
  readonly #envelope: EventEncoding;
  readonly #writer: ResponseWriterOptions;
  /** Response fields in the upstream's first event. */
  #head: Partial<ResponseHead> = {};
  #stored: Buffer[] = [];
  #storedBytes = 0;
  #bytes = 0;
  /** Number of the last event. */
  #sequence = -1;
  readonly #reported = new UsageSoFar();
  readonly #runs = new HostedRuns();
  #hasRuns = false;
  /** The upstream's end, which is held back. */
  #end: { event: Buffer; body: Record<string, unknown> } | null = null;

  constructor({ tally, writer }: Pick<StreamInput, 'tally' | 'writer'>) {
    this.#tally = tally;
    this.#envelope = writer.envelope ?? serverSentEvents;
    this.#writer = writer;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const event = firstEvent(events);
    if (event === null) return 'comments';
    // The first event repeats the request's tools, whose schemas may be as deep as a request.
    if (isTooDeep(event.data)) return 'stream';
    const body = parseObject(event.data);
    if (body === null) return 'invalid';
    const error = errorOf(body);
    if (error === null && isObject(body['response'])) this.#head = headOf(body['response']);
    return error ?? 'stream';
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    let error: ErrorInResponse | 'too_deep' | null = null;
    let end = events.length;
    for (const { from, to } of reportingEvents(events)) {
      const data = dataIn(events, from, to);
      const body = data === null ? null : parseObject(data);
      if (body === null) {
        if (data === null || !isTooDeep(data) || !deepEnd.test(data)) continue;
        error = 'too_deep';
        end = from;
        break;
      }
      error = errorOf(body);
      if (error === null && !isEnd(body.type)) continue;
      // Anything after the provider's end is dropped.
      end = from;
      if (error === null) this.#note(body, Buffer.from(events.subarray(from, to)));
      break;
    }
    const content = end === events.length ? events : events.subarray(0, end);
    this.#noteSequence(content);
    this.#noteRuns(content);
    this.#keep(content, isOwned);
    this.#bytes += this.#end?.event.length ?? 0;
    return {
      forClient: content.length === 0 ? [] : [this.#envelope.wrap(content)],
      next: error ?? (this.#end === null ? 'more' : 'complete'),
    };
  }

  #note(body: Record<string, unknown>, event: Buffer): void {
    this.#end = { event, body };
    const response = isObject(body.response) ? body.response : {};
    for (const part of [...endingParts(readFinish(response, false)), ...usageParts(response)]) this.#reported.note(part);
  }

  #noteRuns(events: Buffer): void {
    if (!hostedKeys.some((key) => events.includes(key))) return;
    for (let at = events.indexOf(itemDone); at >= 0; at = events.indexOf(itemDone, endOfEvent(events, at))) {
      const data = dataIn(events, startOfEvent(events, at), endOfEvent(events, at));
      const item = data === null || isTooDeep(data) ? undefined : parseObject(data)?.['item'];
      const calls = isObject(item) ? this.#runs.add(item) : null;
      if (calls === null) continue;
      this.#hasRuns = true;
      this.#reported.note({ type: 'hosted_usage', calls });
    }
  }

  #noteSequence(events: Buffer): void {
    const at = events.lastIndexOf(sequenceKey);
    if (at < 0) return;
    const from = at + sequenceKey.length;
    const number = /^ *(\d+)/.exec(events.toString('latin1', from, from + 16));
    if (number !== null) this.#sequence = Math.max(this.#sequence, Number(number[1]));
  }

  #keep(events: Buffer, isOwned: boolean): void {
    if (events.length === 0) return;
    this.#bytes += events.length;
    this.#stored.push(isOwned ? events : Buffer.from(events));
    this.#storedBytes += events.length;
    if (this.#storedBytes > storedBytes) this.#readStored();
  }

  #readStored(): void {
    for (const events of this.#stored) this.#tally.add(textOf(events.toString('utf8'), deltaTextKey));
    this.#stored = [];
    this.#storedBytes = 0;
  }

  isEvent(rest: Buffer): boolean {
    const data = dataIn(rest, 0, rest.length);
    return data !== null && parseObject(data) !== null;
  }

  hasContent(): boolean {
    return (
      this.#hasRuns ||
      this.#storedBytes < this.#bytes ||
      this.#stored.some((events) => textOf(events.toString('utf8'), deltaTextKey) !== '')
    );
  }

  hasFinished(): boolean {
    return this.#end !== null;
  }

  roughTokens(): number {
    // Estimate: most events have one or two tokens in about 200 bytes.
    return Math.max(Math.ceil(this.#storedBytes / 200) + this.#tally.roughTokens, 0);
  }

  reportedUsage(): ReportedUsage {
    return this.#reported.report(false);
  }

  countTokens(): Promise<number> {
    this.#readStored();
    return this.#tally.countTokens();
  }

  keepAlive(): string {
    return this.#envelope.isMessages ? '' : keepAlive;
  }

  fail(error: ErrorObject): string {
    const { id = '', model, createdAt } = this.#head;
    const { requestId, model: requested, createdAt: begun } = this.#writer;
    const head = { id: id || `resp_${requestId}`, model: model ?? requested, createdAt: createdAt ?? begun };
    const failed = { ...responseShell(head, this.#writer.requested), status: 'failed', error: responseError(error) };
    return failureEvents(error, failed, { sequence: this.#sequence + 1, hasBegun: this.#bytes > 0, envelope: this.#envelope });
  }

  /** Returns the upstream's end; adds `usage` if the upstream reported none. */
  ending(usage: TokenUsage | null): Buffer {
    if (this.#end === null) return Buffer.alloc(0);
    const { event, body } = this.#end;
    const { response } = body;
    const isIncluded = isObject(response) && includeReasoning(response);
    if (isObject(response) && !isFailure(body.type)) this.#writer.onComplete?.(response);
    if (isIncluded) return Buffer.from(this.#envelope.event(String(body.type), JSON.stringify(body)));
    if (usage === null || !isObject(response) || isObject(response.usage)) return this.#envelope.wrap(event);
    const reported = { ...body, response: { ...response, usage: writeTokenUsage(usage) } };
    return Buffer.from(this.#envelope.event(String(body.type), JSON.stringify(reported)));
  }

  close(): void {
    this.#stored = [];
    this.#end = null;
    this.#tally.clear();
  }
}

function headOf({ id, model, created_at: createdAt }: Record<string, unknown>): Partial<ResponseHead> {
  return {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof createdAt === 'number' ? { createdAt } : {}),
  };
}

/** Yields the positions of events that contain one of the keys, in order. */
function* reportingEvents(events: Buffer): Generator<{ from: number; to: number }> {
  const found = reportingKeys.map((key) => ({ key, at: events.indexOf(key) })).filter(({ at }) => at >= 0);
  while (found.length > 0) {
    const at = Math.min(...found.map((place) => place.at));
    const from = startOfEvent(events, at);
    const to = endOfEvent(events, at);
    yield { from, to };
    for (const place of found) if (place.at < to) place.at = events.indexOf(place.key, to);
    for (let index = found.length - 1; index >= 0; index -= 1) if ((found[index]?.at ?? -1) < 0) found.splice(index, 1);
  }
}
