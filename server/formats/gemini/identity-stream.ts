// Forwards a stream of this format as bytes, reading usage, end and errors of each event. The end is held back until the call is settled.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { Framing } from '#server/framing/framing.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamInput } from '../identity.ts';
import { isContent, type ResponsePart, textOfPart } from '../parts.ts';
import { errorInResponse, type PipeStep, type ReportedUsage, type StreamOpening, type StreamPipe } from '../stream-pipe.ts';
import type { TextTally } from '../text-tally.ts';
import { UsageSoFar } from '../token-usage.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { errorBody } from '#server/surfaces/gemini/errors.ts';
import { createAnswerReader } from './read-response.ts';
import { readStatedError } from './response-errors.ts';
import { createFrame, type StreamFrame } from './stream-frame.ts';
import { writeTokenUsage } from './token-usage.ts';

/** Maximum bytes that are held back as the end. */
const longestEnding = 64 * 1024;

export class GeminiIdentityStream implements StreamPipe {
  readonly #framing: Framing;
  readonly #frame: StreamFrame;
  readonly #isList: boolean;
  readonly #reader: StreamReader;
  readonly #tally: TextTally;
  readonly #reported = new UsageSoFar();
  #hasUsage = false;
  #hasTextAfterUsage = false;
  #hasFinished = false;
  #hasContent = false;
  #bytes = 0;
  /** Bytes since a candidate ended, held back until the call is settled or text follows. */
  #held: Buffer[] = [];

  constructor({ route, tally, writer }: Pick<StreamInput, 'route' | 'tally' | 'writer'>) {
    this.#framing = route.framing;
    this.#reader = createAnswerReader(route.upstreamModel);
    this.#frame = createFrame(writer.requested);
    this.#isList = writer.requested?.['isList'] === true;
    this.#tally = tally;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const event = this.#framing.firstEvent(events);
    if (event === null) return 'comments';
    return readStatedError(event.data) ?? (parseObject(event.data) === null ? 'invalid' : 'stream');
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    this.#bytes += events.length;
    const read: string[] = [];
    let hasText = false;
    let hasFinish = false;
    // Ends the step before an event that is not forwarded; the events before it are framed again.
    const step = (next: PipeStep['next']): PipeStep => {
      const pieces = [...this.#release(), ...read.map((data) => this.#framed(data))];
      return { forClient: pieces.length === 0 ? [] : [Buffer.concat(pieces)], reported: read, next };
    };
    for (const event of this.#framing.events(events)) {
      if (isTooDeep(event.data)) {
        // The model wrote it, so it is counted though not forwarded.
        this.#tally.add(event.data);
        return step('too_deep');
      }
      const parts = this.#reader.read(event);
      const error = parts.find((part) => part.type === 'error');
      // Only content before the error is the model's.
      if (error !== undefined) {
        const { usage } = error.error;
        this.#note(parts.filter(({ type }) => type === 'usage'));
        if (usage !== undefined) this.#noteBilled(usage);
        return step(errorInResponse(error.error));
      }
      if (this.#note(parts)) hasText = true;
      if (parts.some(({ type }) => type === 'finish')) hasFinish = true;
      read.push(event.data);
    }
    const isEnding = hasFinish || (this.#held.length > 0 && !hasText);
    const release = isEnding && this.#heldLength() < longestEnding ? [] : this.#release();
    const bytes = this.#isList ? read.map((data) => Buffer.from(data)) : [isOwned ? events : Buffer.from(events)];
    if (isEnding) this.#held.push(...bytes);
    const passed = isEnding ? [] : this.#isList ? read.map((data) => this.#framed(data)) : bytes;
    return { forClient: [...release, ...passed], reported: read, next: 'more' };
  }

  #framed(data: string): Buffer {
    return Buffer.from(this.#frame.add(data));
  }

  /** Notes usage, end and content of the parts. Returns whether they have text of the model. */
  #note(parts: readonly ResponsePart[]): boolean {
    let hasText = false;
    for (const part of parts) {
      const text = textOfPart(part);
      if (text !== '') {
        this.#tally.add(text);
        this.#hasTextAfterUsage = true;
        this.#hasFinished = false;
        hasText = true;
      } else if (part.type === 'finish') this.#hasFinished = true;
      this.#hasContent ||= isContent(part);
      this.#reported.note(part);
      if (part.type === 'usage' || part.type === 'invalid_usage')
        this.#noteUsage(part.type === 'invalid_usage' || part.usage.output !== undefined);
    }
    return hasText;
  }

  #heldLength(): number {
    return this.#held.reduce((sum, data) => sum + data.length, 0);
  }

  #release(): Buffer[] {
    const held = this.#held.splice(0);
    return this.#isList ? held.map((data) => this.#framed(data.toString())) : held;
  }

  #noteBilled(usage: TokenUsage): void {
    this.#reported.noteBilled(usage);
    this.#noteUsage(usage.output > 0);
  }

  #noteUsage(reportsOutput: boolean): void {
    this.#hasUsage = true;
    if (reportsOutput) this.#hasTextAfterUsage = false;
  }

  isEvent(rest: Buffer): boolean {
    const event = this.#framing.lastEvent(rest);
    return event !== null && isObject(parseObject(event.data));
  }

  hasContent(): boolean {
    return this.#hasContent;
  }

  hasFinished(): boolean {
    return this.#hasFinished;
  }

  roughTokens(): number {
    return this.#tally.roughTokens;
  }

  reportedUsage(): ReportedUsage {
    this.#note(this.#reader.readUnread?.() ?? []);
    return this.#reported.report(this.#hasTextAfterUsage);
  }

  countTokens(): Promise<number> {
    return this.#tally.countTokens();
  }

  keepAlive(): string {
    return this.#frame.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#frame.add(JSON.stringify(errorBody(error))) + this.#frame.end();
  }

  /** Returns the held bytes, with usage if the upstream reported none. */
  ending(usage: TokenUsage | null): Buffer {
    const held = this.#release();
    const reported = this.#hasUsage || usage === null ? '' : this.#frame.add(JSON.stringify({ usageMetadata: writeTokenUsage(usage) }));
    return Buffer.concat([...held, Buffer.from(reported + this.#frame.end())]);
  }

  close(): void {
    this.#tally.clear();
  }
}
