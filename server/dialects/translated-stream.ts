// A stream whose upstream speaks another format than its client: event by event through parts.
import { parseObject } from '#server/framing/loose-json.ts';
import { dataIn, eventData, firstEventData } from '#server/framing/sse.ts';
import type { StreamWriter } from './client-dialect.ts';
import { textOfPart } from './parts.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ResponsePart, UpstreamErrorObject } from './parts.ts';
import { errorInResponse } from './stream-pipe.ts';
import type { PipeStep, ReportedUsage, StreamOpening, StreamPipe } from './stream-pipe.ts';
import type { TextTally } from './text-tally.ts';
import { ToldUsage } from './token-usage.ts';
import type { StreamReader } from './upstream-dialect.ts';

export interface TranslatedStreamOptions {
  reader: StreamReader;
  writer: StreamWriter;
  tally: TextTally;
  /** The error that an event holds in the upstream's format. */
  readError(body: Readonly<Record<string, unknown>>): UpstreamErrorObject | null;
}

const done = '[DONE]';

export class TranslatedStream implements StreamPipe {
  readonly #options: TranslatedStreamOptions;
  readonly #told = new ToldUsage();
  #hasTextAfterUsage = false;
  #hasFinished = false;
  #bytes = 0;

  constructor(options: TranslatedStreamOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const data = firstEventData(events)?.trim();
    if (data === undefined) return 'comments';
    const body = parseObject(data);
    if (body === null) return data === done ? 'stream' : 'invalid';
    const error = this.#options.readError(body);
    return error === null ? 'stream' : errorInResponse(error);
  }

  pass(events: Buffer): PipeStep {
    this.#bytes += events.length;
    const out: string[] = [];
    for (const data of eventData(events)) {
      if (data.trim() === done) return this.#step(out, 'complete');
      for (const part of this.#options.reader.read(data)) {
        if (part.type === 'error') return this.#step(out, errorInResponse(part.error));
        this.#note(part);
        out.push(this.#options.writer.write(part));
      }
      if (this.#options.reader.isComplete) return this.#step(out, 'complete');
    }
    return this.#step(out, 'more');
  }

  #step(out: readonly string[], next: PipeStep['next']): PipeStep {
    const text = out.join('');
    return { forClient: text === '' ? [] : [Buffer.from(text)], next };
  }

  #note(part: ResponsePart): void {
    const text = textOfPart(part);
    if (text !== '') this.#addText(text);
    else if (part.type === 'finish') this.#hasFinished = true;
    this.#told.note(part);
    const tellsOutput = part.type === 'usage' ? part.usage.output !== undefined : part.type === 'invalid_usage';
    if (tellsOutput) this.#hasTextAfterUsage = false;
  }

  #addText(text: string): void {
    this.#options.tally.add(text);
    this.#hasTextAfterUsage = true;
    this.#hasFinished = false;
  }

  isEvent(rest: Buffer): boolean {
    const data = dataIn(rest, 0, rest.length)?.trim();
    return data === done || (data !== undefined && parseObject(data) !== null);
  }

  hasFinished(): boolean {
    return this.#hasFinished;
  }

  roughTokens(): number {
    return this.#options.tally.roughTokens;
  }

  reportedUsage(): ReportedUsage {
    return this.#told.report(this.#hasTextAfterUsage);
  }

  countTokens(): Promise<number> {
    return this.#options.tally.countTokens();
  }

  ending(usage: TokenUsage | null): Buffer {
    return Buffer.from(this.#options.writer.end(usage));
  }

  close(): void {
    this.#options.tally.clear();
  }
}
