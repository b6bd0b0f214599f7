// How callers of one format request images and receive them: requests are read in OpenAI's terms, images are returned
// as OpenAI's rows.
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import type { Route } from '#server/formats/route.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { VendorImages } from './vendor-images.ts';
import type { Body } from './image-format.ts';

export interface PictureCaller {
  /** Providers of this format return pictures as these callers receive them. */
  readonly dialect: UpstreamDialect;
  /**
   * Reads the request in OpenAI's terms.
   * @throws {AppError} `untranslatable`
   */
  asWords(body: Body, route: OrderedRoute): PictureWords;
  /** Reports whether requests and responses pass to that provider as they are. */
  passes(route: Route): boolean;
  /** Number of images requested. */
  countIn(body: Body): number;
  /** Returns the request with another number of images. */
  withCount(body: Body, count: number): Body;
  /** Request fields that images are counted and priced by. */
  orderFields(body: Body): Record<string, unknown>;
  writeBody(read: VendorImages, input: DecodeInput, usage: TokenUsage | null): Buffer;
  /** Joins bodies of `writeBody`. */
  join(responses: readonly Buffer[]): Generator<void, Buffer>;
}

/** If `provider` is undefined, the request is read for its price alone. */
export interface OrderedRoute {
  upstreamModel: string;
  provider?: Pick<Route['provider'], 'images'> | undefined;
}

export interface PictureWords {
  body: Body;
  /** Names of the caller's fields that OpenAI's format cannot carry. */
  dropped: readonly string[];
  /** Caller's field names by OpenAI's. */
  names: Readonly<Record<string, string>>;
}
