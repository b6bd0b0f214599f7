// A stream of pictures on its way to its caller: events pass as bytes. Each picture comes in an event of its own, which says what it took; ones that
// are not finished come before it, where they are asked for. https://platform.openai.com/docs/api-reference/images-streaming
import type { TokenUsage } from '#shared/token-usage.ts';
import { sumOfUsages } from '#shared/token-usage.ts';
import type { ErrorObject, StreamVoice } from '#server/dialects/client-dialect.ts';
import type { StreamInput } from '#server/dialects/identity.ts';
import type { ErrorInResponse, PipeStep, ReportedUsage, StreamOpening, StreamPipe } from '#server/dialects/stream-pipe.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent } from '#server/framing/sse.ts';
import { withoutPictures } from './picture-bytes.ts';
import { orderOf, tokensOf, unitsOf } from './picture-order.ts';
import type { PictureOrder } from './picture-order.ts';
import { readPictureUsage } from './picture-usage.ts';

const done = '[DONE]';

interface PictureEvent {
  bytes: Buffer;
  /** Without the picture. Null: it is none of JSON. */
  told: JsonObject | null;
  data: string;
}

export class ImageStream implements StreamPipe {
  readonly #input: StreamInput;
  readonly #order: PictureOrder;
  readonly #voice: StreamVoice;
  #bytes = 0;
  #completed = 0;
  /** A picture that is not finished was the last to come. */
  #isDrawing = false;
  /** It ends by an error: what was being drawn is not delivered. */
  #hasFailed = false;
  #usage: TokenUsage | null = null;
  #isInvalid = false;
  /** The event of the last picture, which waits for the settlement. */
  #held: Buffer | null = null;

  constructor(input: StreamInput) {
    const { client, writer, way } = input;
    this.#input = input;
    this.#order = orderOf({ ...writer.asked, ...way.paramOverride, stream: true });
    this.#voice = client.createStreamWriter(writer);
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(events: Buffer): StreamOpening {
    for (const { data, told } of eventsIn(events)) {
      if (data.trim() === '') continue;
      return this.#errorIn(data) ?? (told === null || typeof told.type !== 'string' ? 'invalid' : 'stream');
    }
    return 'comments';
  }

  push(events: Buffer, isOwned: boolean): PipeStep {
    this.#bytes += events.length;
    const forClient: Buffer[] = [];
    for (const event of eventsIn(events)) {
      const next = this.#take(event, isOwned, forClient);
      if (next !== 'more') return { forClient, next };
    }
    return { forClient, next: 'more' };
  }

  #take({ bytes, data, told }: PictureEvent, isOwned: boolean, forClient: Buffer[]): PipeStep['next'] {
    if (data.trim() === done) return this.#completed > 0 ? 'complete' : 'invalid';
    if (data.trim() === '') {
      forClient.push(bytes);
      return 'more';
    }
    const error = this.#errorIn(data);
    if (error !== null) {
      this.#hasFailed = true;
      return error;
    }
    if (told === null) return 'invalid';
    const type = String(told.type);
    if (!type.endsWith('.completed')) {
      this.#isDrawing ||= type.endsWith('.partial_image');
      forClient.push(bytes);
      return 'more';
    }
    if (this.#held !== null) forClient.push(this.#held);
    this.#held = isOwned ? bytes : Buffer.from(bytes);
    this.#completed += 1;
    this.#isDrawing = false;
    this.#noteUsage(told);
    return this.#completed >= this.#order.count ? 'complete' : 'more';
  }

  #errorIn(data: string): ErrorInResponse | null {
    const { dialect, provider } = this.#input.way;
    return dialect.readError(data, provider);
  }

  /** Of each picture its own. */
  #noteUsage({ usage: told }: JsonObject): void {
    const usage = readPictureUsage(told);
    this.#isInvalid ||= usage === undefined;
    if (usage === undefined || usage === null) return;
    this.#usage = this.#usage === null ? usage : sumOfUsages(this.#usage, usage);
  }

  isEvent(rest: Buffer): boolean {
    const [event] = eventsIn(rest);
    return event !== undefined && (event.told !== null || event.data.trim() === done);
  }

  hasFinished(): boolean {
    return this.#held !== null && !this.#isDrawing;
  }

  roughTokens(): number {
    return tokensOf(this.#order, this.#input.upstreamModel, this.#begun());
  }

  reportedUsage(): ReportedUsage {
    return {
      usage: this.#isInvalid ? null : this.#usage,
      isInvalid: this.#isInvalid,
      hasTextAfter: false,
      units: unitsOf(this.#order, this.#input.upstreamModel, this.#begun()),
    };
  }

  /** One that was being drawn is billed like the others. */
  #begun(): number {
    const isUnderWay = !this.#hasFailed && (this.#isDrawing || this.#completed === 0);
    return this.#completed + (isUnderWay ? 1 : 0);
  }

  countTokens(): Promise<number> {
    return Promise.resolve(this.roughTokens());
  }

  keepAlive(): string {
    return this.#voice.keepAlive();
  }

  fail(error: ErrorObject): string {
    return this.#voice.fail(error);
  }

  /** The upstream's own. */
  ending(): Buffer {
    return this.#held ?? Buffer.alloc(0);
  }

  close(): void {
    this.#held = null;
  }
}

function* eventsIn(events: Buffer): Generator<PictureEvent> {
  for (let from = 0; from < events.length;) {
    const end = endOfEvent(events, from);
    const bytes = events.subarray(from, end);
    const short = withoutPictures(bytes);
    const data = dataIn(short, 0, short.length) ?? '';
    yield { bytes, data, told: parseObject(data) };
    from = end;
  }
}
