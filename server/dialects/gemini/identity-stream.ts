// A stream of this format to a client of the same: events pass as bytes, and each is read for its usage, its end or an error.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { Framing } from '#server/framing/framing.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { ErrorObject } from '../client-dialect.ts';
import type { StreamInput } from '../identity.ts';
import { textOfPart } from '../parts.ts';
import { errorInResponse } from '../stream-pipe.ts';
import type { PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '../stream-pipe.ts';
import type { TextTally } from '../text-tally.ts';
import { ToldUsage } from '../token-usage.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { errorEvent } from './errors.ts';
import { createStreamReader } from './read-response.ts';
import { readError } from './response-errors.ts';
import { writeTokenUsage } from './token-usage.ts';

export class GeminiIdentityStream implements StreamPipe {
  readonly #framing: Framing;
  readonly #reader: StreamReader = createStreamReader();
  readonly #tally: TextTally;
  readonly #told = new ToldUsage();
  #hasUsage = false;
  #hasTextAfterUsage = false;
  #hasFinished = false;
  #bytes = 0;

  constructor({ way, tally }: Pick<StreamInput, 'way' | 'tally'>) {
    this.#framing = way.framing;
    this.#tally = tally;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const event = this.#framing.firstEvent(events);
    if (event === null) return 'comments';
    return readError(event.data) ?? (parseObject(event.data) === null ? 'invalid' : 'stream');
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    this.#bytes += events.length;
    const before: string[] = [];
    for (const event of this.#framing.events(events)) {
      if (isTooDeep(event.data)) {
        // It is not passed on, but it was written.
        this.#tally.add(event.data);
        return { forClient: [Buffer.from(before.join(''))], next: 'too_deep' };
      }
      for (const part of this.#reader.read(event)) {
        // Of these bytes only what stands before it is the model's.
        if (part.type === 'error') return { forClient: [Buffer.from(before.join(''))], next: errorInResponse(part.error) };
        const text = textOfPart(part);
        if (text !== '') {
          this.#tally.add(text);
          this.#hasTextAfterUsage = true;
          this.#hasFinished = false;
        } else if (part.type === 'finish') this.#hasFinished = true;
        this.#told.note(part);
        if (part.type === 'usage' || part.type === 'invalid_usage')
          this.#noteUsage(part.type === 'invalid_usage' || part.usage.output !== undefined);
      }
      before.push(`data: ${event.data}\n\n`);
    }
    return { forClient: [isOwned ? events : Buffer.from(events)], next: 'more' };
  }

  #noteUsage(tellsOutput: boolean): void {
    this.#hasUsage = true;
    if (tellsOutput) this.#hasTextAfterUsage = false;
  }

  isEvent(rest: Buffer): boolean {
    const event = this.#framing.lastEvent(rest);
    return event !== null && isObject(parseObject(event.data));
  }

  hasFinished(): boolean {
    return this.#hasFinished;
  }

  roughTokens(): number {
    return this.#tally.roughTokens;
  }

  reportedUsage(): ReportedUsage {
    return this.#told.report(this.#hasTextAfterUsage);
  }

  countTokens(): Promise<number> {
    return this.#tally.countTokens();
  }

  keepAlive(): string {
    return ': keep-alive\n\n';
  }

  fail(error: ErrorObject): string {
    return errorEvent(error);
  }

  /** The usage, where the upstream told none. */
  ending(usage: TokenUsage | null): Buffer {
    if (this.#hasUsage || usage === null) return Buffer.alloc(0);
    return Buffer.from(`data: ${JSON.stringify({ usageMetadata: writeTokenUsage(usage) })}\n\n`);
  }

  close(): void {
    this.#tally.clear();
  }
}
