// Streams images to the caller: events pass as bytes. Each image has an event with its usage; partial images precede it
// if requested. https://platform.openai.com/docs/api-reference/images-streaming
import {
  pictureModel,
  type PictureOrder,
  type SeenPicture,
  tokensOf,
  tokensOfPartials,
  tokensOfSeen,
  unitsOf,
} from '#shared/picture-order.ts';
import { sumOfUsages } from '#shared/token-usage.ts';
import type { StreamInput } from '#server/formats/identity.ts';
import type { ErrorInResponse, ReportedUsage } from '#server/formats/stream-pipe.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { type PassingEvent, PassingStream } from '../passing-stream.ts';
import { sizeInBytes, withoutPictures } from './picture-bytes.ts';
import { orderOf, seenIn } from './picture-order.ts';
import { readPictureUsage } from './picture-usage.ts';

export class ImageStream extends PassingStream {
  readonly #order: PictureOrder;
  #completed = 0;
  /** Output tokens of received images whose usage is not reported yet. */
  #untold = 0;
  /** Image in progress: the one whose partial image came last. */
  #drawing: SeenPicture | null = null;
  /** The image in progress is not billed. */
  #isDropped = false;
  /** Model whose rules price the images. */
  readonly #made: string;

  constructor(input: StreamInput) {
    super(input);
    this.#made = pictureModel(input.upstreamModel, input.writer.model);
    this.#order = orderOf({ ...input.writer.requested, ...input.route.paramOverride, stream: true });
  }

  protected override readable(bytes: Buffer): Buffer {
    return withoutPictures(bytes);
  }

  protected override errorIn(event: PassingEvent): ErrorInResponse | null {
    const error = super.errorIn(event);
    if (error !== null) this.dropUnfinished();
    return error;
  }

  protected take({ bytes, reported }: PassingEvent, isOwned: boolean, forClient: Buffer[]): 'more' | 'complete' {
    const type = String(reported?.type);
    const partials = this.#drawing?.partials ?? 0;
    if (!type.endsWith('.completed')) {
      if (type.endsWith('.partial_image')) this.#drawing = seenIn(reported ?? {}, sizeInBytes(bytes), partials + 1);
      return this.passOn(bytes, forClient);
    }
    if (this.held !== null) forClient.push(this.held);
    this.held = isOwned ? bytes : Buffer.from(bytes);
    this.#completed += 1;
    this.#drawing = null;
    this.#noteUsage(reported ?? {}, () => seenIn(reported ?? {}, sizeInBytes(bytes), partials));
    return this.#completed >= this.#order.count ? 'complete' : 'more';
  }

  /** Adds the usage of one image, or of all of them with the last. */
  #noteUsage({ usage: reported }: JsonObject, seen: () => SeenPicture): void {
    const usage = readPictureUsage(reported);
    this.isInvalid ||= usage === undefined;
    if (usage === undefined || usage === null) {
      this.#untold += tokensOfSeen(this.#order, this.#made, seen());
      return;
    }
    this.usage = this.usage === null ? usage : sumOfUsages(this.usage, usage);
    this.#untold = 0;
  }

  override hasFinished(): boolean {
    return this.held !== null && this.#drawing === null;
  }

  dropUnfinished(): void {
    this.#isDropped = true;
  }

  roughTokens(): number {
    return Math.ceil((this.usage?.output ?? 0) + this.#untold + this.#tokensUnderWay());
  }

  reportedUsage(): ReportedUsage {
    return {
      usage: this.isInvalid ? null : this.usage,
      isInvalid: this.isInvalid,
      hasTextAfter: this.#untold + this.#tokensUnderWay() > 0,
      units: unitsOf(this.#order, this.#made, this.#completed + (this.#isUnderWay() ? 1 : 0)),
      isNothing: this.#completed === 0 && this.#drawing === null && !this.#isUnderWay(),
    };
  }

  /**
   * Tokens of the image in progress: whole if the caller disconnected, because the provider bills it; else its partial
   * images.
   */
  #tokensUnderWay(): number {
    const { partials = 0 } = this.#drawing ?? {};
    if (!this.#isUnderWay()) return tokensOfPartials(this.#order, partials);
    if (this.#drawing === null) return tokensOf(this.#order, this.#made, 1);
    return tokensOfSeen(this.#order, this.#made, { ...this.#drawing, partials: this.#order.partials });
  }

  #isUnderWay(): boolean {
    return !this.#isDropped && (this.#drawing !== null || this.#completed === 0);
  }
}
