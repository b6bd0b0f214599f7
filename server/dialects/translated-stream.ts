// A stream whose upstream speaks another format than its client: event by event through parts.
import type { TokenUsage } from '#shared/token-usage.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import type { StreamWriter } from './client-dialect.ts';
import type { DialectChannel } from './dialect-channel.ts';
import type { StreamInput } from './identity.ts';
import { textOfPart } from './parts.ts';
import type { ResponsePart } from './parts.ts';
import { errorInResponse } from './stream-pipe.ts';
import type { PipeStep, ReportedUsage, StreamOpening, StreamPipe } from './stream-pipe.ts';
import type { TextTally } from './text-tally.ts';
import { ToldUsage } from './token-usage.ts';
import type { StreamReader } from './upstream-dialect.ts';

export class TranslatedStream implements StreamPipe {
  readonly #channel: DialectChannel;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #tally: TextTally;
  readonly #told = new ToldUsage();
  #hasTextAfterUsage = false;
  #hasFinished = false;
  #bytes = 0;

  constructor({ client, channel, writer, tally }: Pick<StreamInput, 'client' | 'channel' | 'writer' | 'tally'>) {
    this.#channel = channel;
    this.#reader = channel.dialect.createStreamReader(channel.provider);
    this.#writer = client.createStreamWriter(writer);
    this.#tally = tally;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const data = this.#channel.framing.firstEventData(events)?.trim();
    if (data === undefined) return 'comments';
    const { dialect, provider } = this.#channel;
    return dialect.readError(data, provider) ?? (dialect.isEvent(data) ? 'stream' : 'invalid');
  }

  pass(events: Buffer): PipeStep {
    this.#bytes += events.length;
    const out: string[] = [];
    for (const data of this.#channel.framing.eventData(events)) {
      if (isTooDeep(data)) return this.#step(out, 'invalid');
      for (const part of this.#reader.read(data)) {
        if (part.type === 'error') return this.#step(out, errorInResponse(part.error));
        this.#note(part);
        out.push(this.#writer.write(part));
      }
      if (this.#reader.isComplete) return this.#step(out, 'complete');
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
    this.#tally.add(text);
    this.#hasTextAfterUsage = true;
    this.#hasFinished = false;
  }

  isEvent(rest: Buffer): boolean {
    const data = this.#channel.framing.dataOf(rest)?.trim();
    return data !== undefined && this.#channel.dialect.isEvent(data);
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

  ending(usage: TokenUsage | null): Buffer {
    return Buffer.from(this.#writer.end(usage));
  }

  close(): void {
    this.#tally.clear();
  }
}
