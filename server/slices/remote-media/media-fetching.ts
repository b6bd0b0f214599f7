// Downloads of one request: a few at a time, bounded together, cancelled when one fails or the caller disconnects.
import { AppError } from '#shared/errors.ts';
import type { Media } from '#server/formats/media-addresses.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { copies, fetchMedia } from '#server/call/remote-media/fetch-media.ts';
import { textOf } from '#server/call/remote-media/media-text.ts';
import type { WantedMedia } from '#server/call/remote-media/wanted-media.ts';
import type { RunningCall } from '#server/call/running-call.ts';

const atOnce = 4;
/** Milliseconds for all downloads, and for those that the provider does itself if they fail here. */
const longest = { all: 45_000, optional: 8_000 };
/** Bytes of a base64 character. */
const base64Bytes = 3 / 4;
/** Failures after which a provider that accepts URLs gets the URL. */
const goesByAddress: ReadonlySet<string> = new Set(['media_not_fetched', 'bodies_of_caller', 'bodies_of_server', 'body_too_large']);

export class MediaFetching {
  readonly #call: RunningCall;
  readonly #failed: Map<string, AppError>;
  readonly #owner: string;
  readonly #aborting = new AbortController();
  readonly #late = AbortSignal.timeout(longest.all);
  readonly #lateOptional = AbortSignal.timeout(longest.optional);
  /** One per URL, so that a failed download releases its memory. */
  readonly #holds = new Set<BodyHold>();
  readonly stop = () => this.#aborting.abort();

  /** @param failed failed downloads of the call by URL, which this one adds to */
  constructor(call: RunningCall, failed: Map<string, AppError>) {
    this.#call = call;
    this.#failed = failed;
    this.#owner = `user:${call.admission.user.id}`;
  }

  /** Returns the media by URL; without those whose URL the provider gets. @throws {AppError} */
  async all(wanted: ReadonlyMap<string, WantedMedia>): Promise<Map<string, Media>> {
    const found = new Map<string, Media>();
    await inParallel([...wanted.values()], atOnce, async (address) => {
      if (this.#aborting.signal.aborted) return;
      try {
        const media = await this.#one(address);
        if (media !== null) found.set(address.url, media);
      } catch (failure) {
        this.stop();
        throw failure;
      }
    });
    return found;
  }

  /** Runs long work on what was fetched when it is this user's turn. */
  inTurn<Result>(work: () => Result): Promise<Result> {
    return this.#call.services.context.bodies.inTurn(this.#owner, work);
  }

  /** Releases the memory of the downloads. */
  release(): void {
    for (const hold of this.#holds) hold.shrinkTo(0);
    this.#holds.clear();
  }

  async #one({ url, kind, isOptional }: WantedMedia): Promise<Media | null> {
    const call = this.#call;
    const { context } = call.services;
    const hold = context.bodies.open(this.#owner);
    this.#holds.add(hold);
    try {
      const known = this.#failed.get(url);
      if (known !== undefined) throw known;
      const signal = AbortSignal.any([this.#aborting.signal, isOptional ? this.#lateOptional : this.#late]);
      const requesting = { owner: this.#owner, signal, hold: { grow: (bytes: number) => this.#grow(hold, bytes) } };
      const media = await fetchMedia(context, { url, kind }, requesting);
      await this.#checkWords(media);
      return { mediaType: media.mediaType, data: media.bytes.toString('base64') };
    } catch (failure) {
      hold.shrinkTo(0);
      this.#holds.delete(hold);
      if (this.#aborting.signal.aborted || !(failure instanceof AppError) || !goesByAddress.has(failure.code)) throw failure;
      if (failure.code === 'media_not_fetched' && !this.#failed.has(url)) this.#failed.set(url, failure);
      if (isOptional) return null;
      throw failure;
    }
  }

  /** All downloads together may have the size of a request body. @throws {AppError} */
  #grow(hold: BodyHold, bytes: number): void {
    const limit = this.#call.services.context.env.MAX_REQUEST_BODY_MB * 1_000_000;
    const held = [...this.#holds].reduce((sum, one) => sum + one.bytes, bytes);
    if (held / copies / base64Bytes > limit) throw new AppError('body_too_large', { limit });
    hold.grow(bytes);
  }

  /** Texts are parts of the prompt. @throws {AppError} `sensitive_words_detected` */
  async #checkWords(media: { mediaType: string; bytes: Buffer }): Promise<void> {
    const { guard } = this.#call.services.stages;
    if (!guard.isOn) return;
    const text = textOf(media);
    if (text !== null) await guard.check([text], (work) => this.inTurn(work));
  }
}
