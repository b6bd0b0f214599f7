// Kind of a call: chat, token count, embeddings and so on. The code between the two ends calls members of this object.
// To add a kind, write an object in its own folder, a line in `registry.ts`, its endpoints, and its paths in the
// providers' records.
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import type { Vendor } from '#server/surfaces/api-surface.ts';
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

/** Keys of paths in providers' records. */
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
  /** Framing of the kind's streams, whatever the provider's format; if undefined, the format's. */
  readonly framing?: Framing;
  /** Maximum bytes of a response that is not a stream. */
  readonly mostResponseBytes: number;
  /** Content type of a response that is not a stream. */
  readonly contentType: string;
  /**
   * A model generates the response: its tokens are reserved, limited, billed and searched for blocked words. If false,
   * only the prompt is billed.
   */
  readonly isWritten: boolean;
  /** The response is or contains text, though not generated: `written` is searched for blocked words. */
  readonly isText?: true;
  /** Calls are turns of a session: their limits follow from earlier turns, and other calls learn nothing from them. */
  readonly isInSession?: true;
  /** Only a number is requested: nothing is reserved or charged, and the gateway can count locally. */
  readonly isCount: boolean;

  /** Calls of another kind that serve providers without a path for this one; null if there are none. */
  readonly over: CallPieces | null;
  /**
   * Sub-requests of a call that exceeds what its provider makes at a time; null if one request is enough. If undefined,
   * it always is.
   */
  inPieces?(route: Route, body: Body, client: ClientDialect): CallPieces | null;

  /** Pass-through path, if such calls of that client go unchanged to providers of that format. */
  identityOf(client: ClientDialect, dialect: UpstreamDialect): IdentityPath | null;
  /** How the provider takes media URLs in requests. If undefined, as the route says. */
  addressUse?(route: Route, address: MediaAddress): AddressUse;
  /** Request reader of that format; undefined if its callers cannot make such calls. */
  clientCall(client: ClientDialect): ClientCall | undefined;
  /**
   * Encodes the request for the provider. Returns a promise only if tokens must be decoded.
   * @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request`
   */
  encode(input: CallInput, decodeTokens: DecodeTokens): EncodedRequest | Promise<EncodedRequest>;
  /** Translates the provider's whole response for the caller. */
  decode(input: DecodeInput): Decoded;
  /** Same as `decode` for a long response, in steps; the runner yields to the event loop between them. */
  decodeLong(input: DecodeInput): Generator<void, Decoded>;
}

/** A call that is split into upstream calls, one per piece. Responses are joined in the caller's format. */
export interface CallPieces {
  readonly kind: CallKind;
  /** Format in which the response is joined; it has an identity path for this kind. */
  readonly dialect: UpstreamDialect;
  /** @throws {AppError} `invalid_request` for unknown token ids */
  split(body: Body, decodeTokens: DecodeTokens): readonly CallPiece[] | Promise<readonly CallPiece[]>;
  /** Joins the responses of all pieces; as bytes if they are long. */
  readonly join:
    | { of: 'objects'; join(responses: readonly Body[]): Record<string, unknown> }
    | { of: 'bytes'; join(responses: readonly Buffer[]): Generator<void, Buffer> };
  /** Maximum number of pieces in flight. If undefined, a small default. */
  readonly atOnce?: number;
  /** If null, pieces are never streamed, whatever the caller wants. */
  readonly stream: PieceEndings | null;
}

export interface PieceEndings {
  /**
   * Ends a stream after all pieces.
   * @param usage null if a piece reported none
   */
  endOfStream(usage: TokenUsage | null, writer: ResponseWriterOptions): string;
  /**
   * Ends a stream when a piece fails.
   * @param usage usage of all pieces, the failed one included; null if a piece reported none
   */
  errorInStream(error: ErrorInResponse, usage: TokenUsage | null, writer: ResponseWriterOptions): string;
}

export interface CallPiece {
  body: Body;
  /** Request that the response writer sees: `ResponseWriterOptions.requested`. */
  requested: Body;
  /** Text of `body`, if it differs from its JSON. */
  rawText?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Pass-through path of chat: bytes pass if both ends use one format. */
export const identityOfFormat = (client: ClientDialect, dialect: UpstreamDialect): IdentityPath | null =>
  dialect.name === client.name ? dialect.identity : null;

export const jsonType = 'application/json; charset=utf-8';
export const megabyte = 1024 * 1024;

/** Callers' requests by the vendor of their surface. */
export type CallsByVendor<Call> = Readonly<Partial<Record<Vendor, Call>>>;

/** Reads requests of a call that is on OpenAI's surface only. */
export const openaiCall =
  (call: ClientCall) =>
  ({ surface }: ClientDialect): ClientCall | undefined =>
    surface.vendor === 'openai' ? call : undefined;
