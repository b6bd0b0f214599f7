// A stream of pictures on its way to its caller: events pass as bytes. Each picture comes in an event of its own, which says what it took; ones that
// are not finished come before it, where they are asked for. https://platform.openai.com/docs/api-reference/images-streaming
import { pictureModel, tokensOf, unitsOf } from '#shared/picture-order.ts';
import type { PictureOrder } from '#shared/picture-order.ts';
import { sumOfUsages } from '#shared/token-usage.ts';
import type { StreamInput } from '#server/dialects/identity.ts';
import type { ErrorInResponse, ReportedUsage } from '#server/dialects/stream-pipe.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { PassingStream } from '../passing-stream.ts';
import type { PassingEvent } from '../passing-stream.ts';
import { withoutPictures } from './picture-bytes.ts';
import { orderOf } from './picture-order.ts';
import { readPictureUsage } from './picture-usage.ts';

export class ImageStream extends PassingStream {
  readonly #order: PictureOrder;
  #completed = 0;
  /** A picture that is not finished was the last to come. */
  #isDrawing = false;
  /** It ends by an error: what was being drawn is not delivered. */
  #hasFailed = false;

  /** The model whose rules they are priced by. */
  readonly #made: string;

  constructor(input: StreamInput) {
    super(input);
    this.#made = pictureModel(input.upstreamModel, input.writer.model);
    this.#order = orderOf({ ...input.writer.asked, ...input.way.paramOverride, stream: true });
  }

  protected override readable(bytes: Buffer): Buffer {
    return withoutPictures(bytes);
  }

  protected override errorIn(event: PassingEvent): ErrorInResponse | null {
    const error = super.errorIn(event);
    this.#hasFailed ||= error !== null;
    return error;
  }

  protected take({ bytes, told }: PassingEvent, isOwned: boolean, forClient: Buffer[]): 'more' | 'complete' {
    const type = String(told?.type);
    if (!type.endsWith('.completed')) {
      this.#isDrawing ||= type.endsWith('.partial_image');
      return this.passOn(bytes, forClient);
    }
    if (this.held !== null) forClient.push(this.held);
    this.held = isOwned ? bytes : Buffer.from(bytes);
    this.#completed += 1;
    this.#isDrawing = false;
    this.#noteUsage(told ?? {});
    return this.#completed >= this.#order.count ? 'complete' : 'more';
  }

  /** Of each picture its own. */
  #noteUsage({ usage: told }: JsonObject): void {
    const usage = readPictureUsage(told);
    this.isInvalid ||= usage === undefined;
    if (usage === undefined || usage === null) return;
    this.usage = this.usage === null ? usage : sumOfUsages(this.usage, usage);
  }

  override hasFinished(): boolean {
    return this.held !== null && !this.#isDrawing;
  }

  roughTokens(): number {
    return tokensOf(this.#order, this.#made, this.#begun());
  }

  reportedUsage(): ReportedUsage {
    return {
      usage: this.isInvalid ? null : this.usage,
      isInvalid: this.isInvalid,
      hasTextAfter: false,
      units: unitsOf(this.#order, this.#made, this.#begun()),
    };
  }

  /** One that was being drawn is billed like the others. */
  #begun(): number {
    const isUnderWay = !this.#hasFailed && (this.#isDrawing || this.#completed === 0);
    return this.#completed + (isUnderWay ? 1 : 0);
  }
}
