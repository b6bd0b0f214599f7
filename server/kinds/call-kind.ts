// What a call asks for: an answer in words, a count, vectors. Everything between its two ends asks the kind what it is, and a further
// one is an object in a folder of its own, its line in `registry.ts`, its endpoints, and its paths in the providers' records.
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import type { ClientCall, ClientDialect, ResponseWriterOptions } from '#server/formats/client-dialect.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from '#server/formats/decoded-whole.ts';
import type { IdentityPath } from '#server/formats/identity.ts';
import type { AddressUse, MediaAddress } from '#server/formats/media-addresses.ts';
import type { DecodeTokens } from '#server/formats/token-lists.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import type { Route } from '#server/formats/route.ts';
import type { Framing } from '#server/framing/framing.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';

/** As providers' records name their paths. */
export type CallKindName =
  | 'chat'
  | 'completions'
  | 'count_tokens'
  | 'embeddings'
  | 'fim'
  | 'images'
  | 'image_edits'
  | 'image_variations'
  | 'moderations'
  | 'realtime'
  | 'rerank'
  | 'speech'
  | 'transcriptions'
  | 'translations';

export type Decoded = DecodedWhole | DeepWhole | FailedWhole;

export interface CallKind {
  readonly name: CallKindName;
  /** The response may stream. */
  readonly canStream: boolean;
  /** How its streams come, whatever the provider's format. Missing: as in that. */
  readonly framing?: Framing;
  /** Bytes of a response that is not a stream. */
  readonly mostResponseBytes: number;
  /** Of such a response. */
  readonly contentType: string;
  /** A model writes it: its tokens are reserved for, limited, paid, and searched for words that the site blocks. Otherwise the prompt is all that is paid. */
  readonly isWritten: boolean;
  /** Its response is a text all the same, or holds some: `written` is searched for words that the site blocks. */
  readonly isText?: true;
  /** Its calls are turns of a session: what one needs is known from those before it, and nothing is learnt from it for others. */
  readonly isInSession?: true;
  /** Nothing but a number is wanted: nothing is reserved or charged, and it can be counted here. */
  readonly isCount: boolean;

  /** Providers that have no path for it are asked by calls of another kind; null: they are not asked. */
  readonly over: CallPieces | null;
  /** Pieces of a call for more than its provider makes at a time; null: one call will do. Missing: it always does. */
  inPieces?(route: Route, body: Body, client: ClientDialect): CallPieces | null;

  /** The way of bytes, where such calls of that client go to providers of that format as they are. */
  identityOf(client: ClientDialect, dialect: UpstreamDialect): IdentityPath | null;
  /** How its provider takes what requests name by addresses. Missing: as the way says. */
  addressUse?(route: Route, address: MediaAddress): AddressUse;
  /** How callers ask for it in that format; undefined: they cannot. */
  clientCall(client: ClientDialect): ClientCall | undefined;
  /** The request as the provider wants it. A promise only where something has to be read from tokens. @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request` */
  encode(input: CallInput, decodeTokens: DecodeTokens): EncodedRequest | Promise<EncodedRequest>;
  /** The provider's whole response as the caller wants it. */
  decode(input: DecodeInput): Decoded;
  /** The same of a long one, in steps: whoever runs them gives the event loop back in between. */
  decodeLong(input: DecodeInput): Generator<void, Decoded>;
}

/** A call whose provider is asked by other calls, one for each piece. Its response is put together in the caller's own format. */
export interface CallPieces {
  readonly kind: CallKind;
  /** Of the format in which the response is put together; it has an identity for this kind. */
  readonly dialect: UpstreamDialect;
  /** @throws {AppError} `invalid_request` for tokens that there are none of */
  split(body: Body, decodeTokens: DecodeTokens): readonly CallPiece[] | Promise<readonly CallPiece[]>;
  /** One whole response of those to each piece; as bytes where they are long. */
  readonly join:
    | { of: 'objects'; join(responses: readonly Body[]): Record<string, unknown> }
    | { of: 'bytes'; join(responses: readonly Buffer[]): Generator<void, Buffer> };
  /** Pieces that are asked for at a time. Missing: a few. */
  readonly atOnce?: number;
  /** Null: every piece is answered whole, whatever the caller wants. */
  readonly stream: PieceEndings | null;
}

export interface PieceEndings {
  /** What a stream ends with behind those of all pieces. @param usage null: not all of them told one */
  endOfStream(usage: TokenUsage | null, writer: ResponseWriterOptions): string;
  /** What it ends with where a piece fails. @param usage what all of it has used, the failed piece too; null: not all of it was told */
  errorInStream(error: ErrorInResponse, usage: TokenUsage | null, writer: ResponseWriterOptions): string;
}

export interface CallPiece {
  body: Body;
  /** What the writer of its response is told: `ResponseWriterOptions.asked`. */
  requested: Body;
  /** `body` as text, where it is another than its JSON. */
  rawText?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** As a conversation goes: as it is where both ends speak one format. */
export const identityOfFormat = (client: ClientDialect, dialect: UpstreamDialect): IdentityPath | null =>
  dialect.name === client.name ? dialect.identity : null;

export const jsonType = 'application/json; charset=utf-8';
export const megabyte = 1024 * 1024;
