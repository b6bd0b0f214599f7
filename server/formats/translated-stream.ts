// Translates a stream between different formats event by event.
import type { TokenUsage } from '#shared/token-usage.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamWriter } from './client-dialect.ts';
import type { Route } from './route.ts';
import type { StreamInput } from './identity.ts';
import { isContent, type ResponsePart, textOfPart, type UpstreamErrorObject } from './parts.ts';
import { noteSignature, type SignatureMemory } from './signature-memory.ts';
import { errorInResponse, type PipeStep, type ReportedUsage, type StreamOpening, type StreamPipe } from './stream-pipe.ts';
import type { TextTally } from './text-tally.ts';
import { UsageSoFar } from './token-usage.ts';
import type { StreamReader } from './upstream-dialect.ts';

export class TranslatedStream implements StreamPipe {
  readonly #route: Route;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #tally: TextTally;
  readonly #signatures: SignatureMemory | undefined;
  readonly #reported = new UsageSoFar();
  #hasTextAfterUsage = false;
  #hasFinished = false;
  #hasContent = false;
  #bytes = 0;

  constructor({ client, route, writer, tally, signatures }: Pick<StreamInput, 'client' | 'route' | 'writer' | 'tally' | 'signatures'>) {
    this.#route = route;
    this.#reader = route.dialect.createStreamReader(route.provider, route.upstreamModel);
    this.#writer = client.createStreamWriter(writer);
    this.#tally = tally;
    this.#signatures = signatures;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    const event = this.#route.framing.firstEvent(events);
    if (event === null) return 'comments';
    const { dialect, provider } = this.#route;
    return dialect.readError(event.data, provider) ?? (dialect.isEvent(event) ? 'stream' : 'invalid');
  }

  push(events: Buffer): PipeStep {
    this.#bytes += events.length;
    const out: string[] = [];
    for (const event of this.#route.framing.events(events)) {
      if (isTooDeep(event.data)) {
        // The model wrote it, so it is counted though not forwarded.
        this.#addText(event.data);
        return this.#step(out, 'too_deep');
      }
      const parts = this.#reader.read(event);
      for (const part of parts) {
        if (part.type === 'error') {
          this.#noteBilled(part.error, parts);
          return this.#step(out, errorInResponse(part.error));
        }
        // Nearly all parts: no other note is taken of them.
        if (part.type === 'text' && part.text !== '') this.#addText(part.text);
        else this.#note(part);
        out.push(this.#writer.write(part));
      }
      if (this.#reader.isComplete) return this.#step(out, 'complete');
    }
    return this.#step(out, 'more');
  }

  /** Translates a complete response. `parts` contain no error. */
  pushWhole(parts: readonly ResponsePart[], bytes: number): PipeStep {
    this.#bytes += bytes;
    const out = parts.map((part) => {
      this.#note(part);
      return this.#writer.write(part);
    });
    // The usage of a complete response includes all of its text.
    this.#hasTextAfterUsage = false;
    return this.#step(out, 'complete');
  }

  #step(out: readonly string[], next: PipeStep['next']): PipeStep {
    const text = out.join('');
    return { forClient: text === '' ? [] : [Buffer.from(text)], next };
  }

  #note(part: ResponsePart): void {
    const text = textOfPart(part);
    if (text !== '') this.#addText(text);
    else if (part.type === 'finish') this.#hasFinished = true;
    else this.#hasContent ||= isContent(part);
    this.#reported.note(part);
    noteSignature(part, this.#route.dialect, this.#signatures);
    const reportsOutput = part.type === 'usage' ? part.usage.output !== undefined : part.type === 'invalid_usage';
    if (reportsOutput) this.#hasTextAfterUsage = false;
  }

  /** Notes the usage of an error, which counts the output so far. */
  #noteBilled({ usage }: UpstreamErrorObject, parts: readonly ResponsePart[]): void {
    for (const part of parts) if (part.type === 'usage') this.#note(part);
    if (usage === undefined) return;
    this.#reported.noteBilled(usage);
    if (usage.output > 0) this.#hasTextAfterUsage = false;
  }

  #addText(text: string): void {
    this.#tally.add(text);
    this.#hasTextAfterUsage = true;
    this.#hasContent = true;
    this.#hasFinished = false;
  }

  isEvent(rest: Buffer): boolean {
    const event = this.#route.framing.lastEvent(rest);
    return event !== null && this.#route.dialect.isEvent(event);
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
    for (const part of this.#reader.readUnread?.() ?? []) {
      this.#note(part);
      // Writers send it at the end.
      this.#writer.write(part);
    }
    return this.#reported.report(this.#hasTextAfterUsage);
  }

  countTokens(): Promise<number> {
    return this.#tally.countTokens();
  }

  keepAlive(): string {
    return this.#writer.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#writer.fail(error);
  }

  ending(usage: TokenUsage | null): Buffer {
    return Buffer.from(this.#writer.end(usage));
  }

  close(): void {
    this.#tally.clear();
  }
}
