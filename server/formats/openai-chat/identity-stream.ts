// Forwards a stream of this format as bytes unless an event must change.
import type { TokenUsage } from '#shared/token-usage.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { eventData, firstEvent, toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamInput } from '../identity.ts';
import type { PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '../stream-pipe.ts';
import { CallNumbers } from './call-numbers.ts';
import { doneEvent, isEvent } from './done-event.ts';
import { errorEvent } from './errors.ts';
import { keepAlive } from './keep-alive.ts';
import { errorIn } from './response-errors.ts';
import { translateReasons, unknownWord } from './finish-reason.ts';
import { mayEndOddly, mayHoldError, soundPart, withoutUsage, withReasoning } from './stream-bytes.ts';
import { createStreamTransform, isUsageOnly, type StreamTransform } from './stream-transform.ts';
import { readUsage, writeTokenUsage } from './token-usage.ts';
import { withTier } from '../token-usage.ts';
import { UsageMeter } from './usage-meter.ts';

const nothing: readonly Buffer[] = [];

export class ChatIdentityStream implements StreamPipe {
  readonly #options: StreamInput;
  readonly #wantsUsage: boolean;
  readonly #meter: UsageMeter;
  readonly #transform: StreamTransform | null;
  readonly #numbers = new CallNumbers();

  constructor(options: StreamInput) {
    const { route, upstreamModel, writer, tally } = options;
    this.#options = options;
    this.#wantsUsage = writer.wantsUsage;
    this.#meter = new UsageMeter(tally);
    this.#transform = createStreamTransform({ route, upstreamModel, isUsageHidden: !this.#wantsUsage });
  }

  get bytes(): number {
    return this.#meter.bytes;
  }

  open(events: Buffer): StreamOpening {
    const data = firstEvent(events)?.data.trim();
    if (data === undefined) return 'comments';
    return errorIn(data, this.#options.route.provider) ?? (isEvent(data) ? 'stream' : 'invalid');
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    const { end, next } = soundPart(events);
    const content = end === events.length ? events : events.subarray(0, end);
    let step: PipeStep = { forClient: nothing, next: 'more' };
    if (end > 0) {
      this.#meter.push(content, isOwned);
      step = this.#forClient(content);
      if (step.next !== 'more') return step;
    }
    if (next === 'garbage') return { forClient: step.forClient, next: 'invalid' };
    if (next === 'nothing') return step;
    // The `[DONE]` event may have other lines, which are ended here.
    return { forClient: endsEvent(content) ? step.forClient : [...step.forClient, Buffer.from('\n')], next: 'complete' };
  }

  #forClient(reported: Buffer): PipeStep {
    const events = this.#numbers.pass(reported);
    const wantsUsage = this.#wantsUsage;
    const { provider } = this.#options.route;
    const endsOddly = mayEndOddly(events);
    const hasError = endsOddly || mayHoldError(events, provider?.errors?.marker);
    if (this.#transform === null && !hasError) {
      const sent = withReasoning(events);
      return { forClient: wantsUsage ? [sent] : withoutUsage(sent), next: 'more' };
    }
    const out: string[] = [];
    const written = () => (out.length === 0 ? nothing : [Buffer.from(out.join(''))]);
    for (const event of eventData(events)) {
      const data = endsOddly ? withGatewayReasons(event) : event;
      const error = hasError ? errorIn(data, provider) : null;
      if (error !== null) return { forClient: written(), next: error };
      if (this.#transform !== null) out.push(...this.#transform.event(data).map(toEvent));
      else if (wantsUsage || !isUsageOnly(data)) out.push(withReasoning(Buffer.from(toEvent(data))).toString());
    }
    return { forClient: written(), next: 'more' };
  }

  isEvent(rest: Buffer): boolean {
    return soundPart(rest).next !== 'garbage';
  }

  hasContent(): boolean {
    return this.#meter.hasContent();
  }

  hasFinished(): boolean {
    return this.#meter.hasFinished();
  }

  roughTokens(): number {
    return this.#meter.roughTokens();
  }

  reportedUsage(): ReportedUsage {
    const unknownEnding = unknownWord(this.#meter.finishWord());
    return unknownEnding === undefined ? this.#reportedUsage() : { ...this.#reportedUsage(), unknownEnding };
  }

  #reportedUsage(): ReportedUsage {
    const reported = this.#meter.lastUsage();
    if (reported === undefined) return { usage: null, isInvalid: false, hasTextAfter: false };
    const usage = readUsage(reported.value, this.#options.route.provider.responses);
    const isInvalid = usage === 'invalid';
    // An implausible count before the response was a placeholder.
    if (isInvalid && reported.hasTextAfter) return { usage: null, isInvalid: false, hasTextAfter: false };
    return { usage: isInvalid ? null : withTier(usage, reported.tier), isInvalid, hasTextAfter: reported.hasTextAfter };
  }

  countTokens(): Promise<number> {
    return this.#meter.countTokens();
  }

  keepAlive(): string {
    return keepAlive;
  }

  fail(error: ErrorObject): string {
    return errorEvent(error);
  }

  /** Returns remaining data of a transformation, missing requested usage, and `[DONE]`. */
  ending(usage: TokenUsage | null): Buffer {
    const parts: string[] = (this.#transform?.end() ?? []).map(toEvent);
    if (this.#wantsUsage && usage !== null && this.reportedUsage().usage === null) parts.push(toEvent(this.#usageChunk(usage)));
    return parts.length === 0 ? doneEvent : Buffer.concat([Buffer.from(parts.join('')), doneEvent]);
  }

  #usageChunk(usage: TokenUsage): string {
    const { writer, route, upstreamModel } = this.#options;
    const last = this.#meter.lastEvents().findLast((data) => parseObject(data) !== null);
    const { id, created, model } = last === undefined ? {} : (parseObject(last) ?? {});
    return JSON.stringify({
      id: typeof id === 'string' ? id : `chatcmpl-${writer.requestId}`,
      object: 'chat.completion.chunk',
      created: typeof created === 'number' ? created : writer.createdAt,
      // As in earlier chunks, which were read unmodified.
      model: route.provider.responses?.tunedModel === true ? upstreamModel : typeof model === 'string' ? model : writer.model,
      choices: [],
      usage: writeTokenUsage(usage),
    });
  }

  close(): void {
    this.#meter.close();
  }
}

/** Data of an event with finish reasons of this format. */
function withGatewayReasons(data: string): string {
  const chunk = data.includes('_reason"') ? parseObject(data) : null;
  return chunk !== null && translateReasons(chunk) ? JSON.stringify(chunk) : data;
}

/** Whether the bytes are empty or end with an empty line. */
function endsEvent(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', Math.max(0, bytes.length - 4));
  return text === '' || text.endsWith('\n\n') || text.endsWith('\n\r\n');
}
