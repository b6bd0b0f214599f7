// Joins the streams of a call's pieces into one stream in the caller's format. A failed piece ends the stream with an
// error event, treated as the provider's.
import { sumOfUsages, type TokenUsage } from '#shared/token-usage.ts';
import type { CallPiece, CallPieces, PieceEndings } from '#server/kinds/call-kind.ts';
import type { ClientDialect, ResponseWriterOptions } from '#server/formats/client-dialect.ts';
import type { ErrorInResponse, StreamPipe } from '#server/formats/stream-pipe.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import type { Splitter } from '#server/framing/framing.ts';
import type { Received, SentRequest } from './exchange.ts';
import { SendFailure } from './send-failure.ts';
import type { EventSource, StreamSink } from './upstream-stream.ts';
import { invalidResponse, type UpstreamFailure } from './upstream-error.ts';

export interface StreamedPart {
  piece: CallPiece;
  request: SentRequest;
  response: Received;
}

interface PieceStreamOptions {
  client: ClientDialect;
  over: CallPieces;
  endings: PieceEndings;
  writer: ResponseWriterOptions;
  /** Requests the piece of that index; returns null if there is none. */
  next(index: number): Promise<StreamedPart | null>;
  /** Aborts the pieces in flight. */
  abort(): void;
}

/** Counts nothing: the reader of the joined stream counts. */
const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
/** Maximum bytes of one event. */
const largestEvent = 16 * 1024 * 1024;
const lingerMs = 1_000;

interface Running {
  source: EventSource;
  pipe: StreamPipe;
  events: Splitter;
  eventEnd: Buffer;
  hasBegun: boolean;
  /** Whether the body has ended. */
  isOver: boolean;
}

export class SplitStream implements EventSource {
  readonly #options: PieceStreamOptions;
  #sink: StreamSink | null = null;
  #running: Running | null = null;
  #index = 0;
  /** Null if a piece reported no usage. */
  #usage: TokenUsage | null | undefined;
  #isPaused = false;
  #isOver = false;

  constructor(options: PieceStreamOptions) {
    this.#options = options;
  }

  read(sink: StreamSink): void {
    this.#sink = sink;
    void this.#next();
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.source.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#running?.source.resume();
  }

  abort(): void {
    this.#isOver = true;
    this.#running?.source.abort();
    this.#options.abort();
  }

  /** Never rejects. */
  async #next(): Promise<void> {
    try {
      const streamed = await this.#options.next(this.#index);
      this.#index += 1;
      if (streamed === null) this.#complete();
      else this.#begin(streamed);
    } catch (cause) {
      this.#end((sink) => sink.fail(new SendFailure('unreadable', cause instanceof Error ? cause.message : String(cause), { cause })));
    }
  }

  #begin({ piece, request, response }: StreamedPart): void {
    if (this.#isOver) {
      if (response.kind === 'stream') response.stream.abort();
      return;
    }
    if (response.kind === 'failed') {
      this.#fail(response.failure, { isKnown: true });
      return;
    }
    const { client, writer } = this.#options;
    const { route } = request;
    const pipe = new TranslatedStream({ client, route, writer: { ...writer, requested: piece.requested }, tally });
    if (response.kind === 'whole') {
      this.#passWhole(response.body, { piece, request, pipe });
      return;
    }
    const source = response.stream;
    const { eventEnd, createSplitter } = source.framing ?? route.framing;
    const running: Running = { source, pipe, events: createSplitter(), eventEnd, hasBegun: false, isOver: false };
    this.#running = running;
    if (this.#isPaused) source.pause();
    source.read({
      data: (chunk) => this.#read(chunk, running),
      end: () => {
        running.isOver = true;
        this.#ended(running);
      },
      fail: (failure) => {
        running.isOver = true;
        if (this.#running === running) this.#end((sink) => sink.fail(failure));
      },
    });
  }

  /** Translates a whole response of a piece. */
  #passWhole(body: Buffer, { piece, request, pipe }: { piece: CallPiece; request: SentRequest; pipe: TranslatedStream }): void {
    const { client, over, writer } = this.#options;
    const { route, upstreamModel } = request;
    const decoded = over.kind.decode({
      client,
      route,
      upstreamModel,
      body,
      responseFields: {},
      writer: { ...writer, requested: piece.requested },
    });
    if (decoded.kind !== 'whole' || decoded.parts === undefined) {
      this.#fail(invalidResponse(), { isKnown: false });
      return;
    }
    for (const bytes of pipe.pushWhole(decoded.parts, body.length).forClient) this.#write(bytes);
    this.#usage = this.#usageWith(pipe.reportedUsage().usage);
    void this.#next();
  }

  /** Bytes after the end of a piece are ignored. */
  #read(chunk: Buffer, running: Running): void {
    if (this.#isOver || this.#running !== running) return;
    const events = running.events.push(chunk);
    if (running.events.restLength > largestEvent) this.#fail(invalidResponse(), { isKnown: false });
    else if (events !== null) this.#pass(events, running);
    if (running.events.isBroken && !this.#isOver && this.#running === running) this.#fail(invalidResponse(), { isKnown: false });
  }

  #pass(events: Buffer, running: Running): void {
    const { pipe } = running;
    if (!running.hasBegun) {
      const opening = pipe.open(events);
      if (opening === 'comments') return;
      if (opening !== 'stream') {
        if (opening === 'invalid') this.#fail(invalidResponse(), { isKnown: false });
        else this.#fail(opening, { isKnown: true });
        return;
      }
      running.hasBegun = true;
    }
    const { forClient, next } = pipe.push(events, false);
    for (const piece of forClient) this.#write(piece);
    if (next === 'complete') this.#pieceEnded(running);
    else if (next !== 'more') {
      const { usage } = pipe.reportedUsage();
      this.#fail(typeof next === 'object' ? next : invalidResponse(), usage === null ? { isKnown: false } : { isKnown: true, usage });
    }
  }

  /** Handles the end of a piece's body. */
  #ended(running: Running): void {
    if (this.#isOver || this.#running !== running) return;
    const rest = running.events.rest();
    if (rest.length > 0 && running.pipe.isEvent(rest)) this.#read(running.eventEnd, running);
    // The rest may have been the last event of the piece.
    if (this.#isOver || this.#running !== running) return;
    if (running.pipe.hasFinished()) this.#pieceEnded(running);
    else this.#end((sink) => sink.fail(new SendFailure('network', 'the stream broke off')));
  }

  #pieceEnded(running: Running): void {
    const { pipe, source } = running;
    this.#running = null;
    this.#usage = this.#usageWith(pipe.reportedUsage().usage);
    // The source gets a moment to end by itself, so that its connection can be reused.
    setTimeout(() => running.isOver || source.abort(), lingerMs).unref();
    void this.#next();
  }

  #complete(): void {
    const { endings, writer } = this.#options;
    const ending = endings.endOfStream(this.#usage ?? null, writer);
    this.#end((sink) => {
      sink.data(Buffer.from(ending), true);
      sink.end();
    });
  }

  /** @param usageOfPiece usage that the piece reported; if unknown, no usage is reported and all is counted */
  #fail(error: UpstreamFailure | ErrorInResponse, usageOfPiece: { isKnown: boolean; usage?: TokenUsage }): void {
    const { endings, writer } = this.#options;
    const reported = error.usage ?? usageOfPiece.usage;
    const isKnown = usageOfPiece.isKnown || error.usage !== undefined;
    const usage = reported === undefined ? this.#usage : this.#usageWith(reported);
    this.#end((sink) => {
      sink.data(Buffer.from(endings.errorInStream(error, isKnown ? (usage ?? null) : null, writer)), true);
      sink.end();
    });
  }

  #usageWith(usage: TokenUsage | null): TokenUsage | null {
    const before = this.#usage;
    if (before === null || usage === null) return null;
    return before === undefined ? usage : sumOfUsages(before, usage);
  }

  #write(bytes: Buffer): void {
    if (!this.#isOver && bytes.length > 0) this.#sink?.data(bytes, true);
  }

  #end(report: (sink: StreamSink) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#running?.source.abort();
    this.#options.abort();
    if (this.#sink !== null) report(this.#sink);
  }
}
