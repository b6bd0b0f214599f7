// How callers of one format order pictures and receive them: orders go on in OpenAI's words, pictures come back as rows of it.
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import type { Route } from '#server/formats/route.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { VendorImages } from './vendor-images.ts';
import type { Body } from './image-format.ts';

export interface PictureCaller {
  /** Providers of this format return pictures as these callers receive them. */
  readonly dialect: UpstreamDialect;
  /** The order in OpenAI's words. @throws {AppError} `untranslatable` */
  asWords(body: Body, route: OrderedRoute): PictureWords;
  /** Reports whether requests and responses pass to that provider as they are. */
  passes(route: Route): boolean;
  /** Number of pictures that are ordered. */
  countIn(body: Body): number;
  /** The same order for another number. */
  withCount(body: Body, count: number): Body;
  /** Fields of a request that its pictures are counted and priced by. */
  orderFields(body: Body): Record<string, unknown>;
  writeBody(read: VendorImages, input: DecodeInput, usage: TokenUsage | null): Buffer;
  /** Joins bodies of `writeBody`. */
  join(responses: readonly Buffer[]): Generator<void, Buffer>;
}

/** If `provider` is undefined, the order is read for its price alone. */
export interface OrderedRoute {
  upstreamModel: string;
  provider?: Pick<Route['provider'], 'images'> | undefined;
}

export interface PictureWords {
  body: Body;
  /** Names of the caller's fields that have no place in OpenAI's words. */
  dropped: readonly string[];
  /** Caller's names of fields, by OpenAI's. */
  names: Readonly<Record<string, string>>;
}
