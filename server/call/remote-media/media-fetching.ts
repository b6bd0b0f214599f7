// All that one request wants fetched: a few at a time, so much together, and none any more when one fails or its caller leaves.
import { AppError } from '#shared/errors.ts';
import type { Media, MediaAddress } from '#server/formats/media-addresses.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { copies, fetchMedia } from '#server/call/remote-media/fetch-media.ts';
import { textOf } from '#server/call/remote-media/media-text.ts';
import type { RunningCall } from '#server/call/running-call.ts';

export interface Wanted extends MediaAddress {
  /** The provider looks it up itself where that fails. */
  isOptional: boolean;
}

/** Of one call. */
export const mostAddresses = 32;
const atOnce = 4;
/** For all of it, and for what its provider looks up itself where that is over; milliseconds. */
const longest = { all: 45_000, optional: 8_000 };
/** Of a character. */
const base64Bytes = 3 / 4;
/** Then the provider looks up itself what it may. */
const goesByAddress: ReadonlySet<string> = new Set(['media_not_fetched', 'bodies_of_caller', 'bodies_of_server', 'body_too_large']);

export class MediaFetching {
  readonly #call: RunningCall;
  readonly #owner: string;
  readonly #aborting = new AbortController();
  readonly #late = AbortSignal.timeout(longest.all);
  readonly #lateOptional = AbortSignal.timeout(longest.optional);
  /** Of each address, so that what fails gives back its own. */
  readonly #holds = new Set<BodyHold>();
  readonly stop = () => this.#aborting.abort();

  constructor(call: RunningCall) {
    this.#call = call;
    this.#owner = `user:${call.admission.user.id}`;
  }

  /** By address; missing: the provider gets it. @throws {AppError} */
  async all(wanted: ReadonlyMap<string, Wanted>): Promise<Map<string, Media>> {
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

  /** What was fetched is held by somebody else from now on, or by nobody. */
  release(): void {
    for (const hold of this.#holds) hold.shrinkTo(0);
    this.#holds.clear();
  }

  async #one({ url, kind, isOptional }: Wanted): Promise<Media | null> {
    const call = this.#call;
    const { context } = call.services;
    const hold = context.bodies.open(this.#owner);
    this.#holds.add(hold);
    try {
      const known = call.unfetched?.get(url);
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
      if (failure.code === 'media_not_fetched') noteUnfetched(call, url, failure);
      if (isOptional) return null;
      throw failure;
    }
  }

  /** Together it may be as much as a caller may send. @throws {AppError} */
  #grow(hold: BodyHold, bytes: number): void {
    const limit = this.#call.services.context.env.MAX_REQUEST_BODY_MB * 1_000_000;
    const held = [...this.#holds].reduce((sum, one) => sum + one.bytes, bytes);
    if (held / copies / base64Bytes > limit) throw new AppError('body_too_large', { limit });
    hold.grow(bytes);
  }

  /** A text is a part of the prompt. @throws {AppError} `sensitive_words_detected` */
  async #checkWords(media: { mediaType: string; bytes: Buffer }): Promise<void> {
    const { words } = this.#call.services;
    if (!words.isOn) return;
    const text = textOf(media);
    if (text !== null) await words.check([text], (work) => this.inTurn(work));
  }
}

/** It need not be tried again for another channel. */
export function noteUnfetched(call: RunningCall, url: string, failure: AppError): void {
  call.unfetched ??= new Map();
  if (!call.unfetched.has(url)) call.unfetched.set(url, failure);
}
