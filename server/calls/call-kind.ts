// What a call asks for: an answer in words, a count, vectors. Everything between its two ends asks the kind what it is, and a further
// one is an object in a folder of its own, its line in `registry.ts`, its endpoints, and its paths in the providers' records.
import type { ClientCall, ClientDialect } from '#server/dialects/client-dialect.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from '#server/dialects/decoded-whole.ts';
import type { DecodeTokens } from '#server/dialects/token-lists.ts';
import type { CallInput, EncodedRequest } from '#server/dialects/encode-input.ts';

/** As providers' records name their paths. */
export type CallKindName = 'chat' | 'count_tokens' | 'embeddings';

export type Decoded = DecodedWhole | DeepWhole | FailedWhole;

export interface CallKind {
  readonly name: CallKindName;
  /** The response may stream. */
  readonly canStream: boolean;
  /** Bytes of a response that is not a stream. */
  readonly mostResponseBytes: number;
  /** Of such a response. */
  readonly contentType: string;
  /** A model writes it: its tokens are reserved for, limited, paid, and searched for words that the site blocks. Otherwise the prompt is all that is paid. */
  readonly isWritten: boolean;
  /** Nothing but a number is wanted: nothing is reserved or charged, and it can be counted here. */
  readonly isCount: boolean;

  /** How callers ask for it in that format; undefined: they cannot. */
  clientCall(client: ClientDialect): ClientCall | undefined;
  /** The request as the provider wants it. A promise only where something has to be read from tokens. @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request` */
  encode(input: CallInput, decodeTokens: DecodeTokens): EncodedRequest | Promise<EncodedRequest>;
  /** The provider's whole response as the caller wants it. */
  decode(input: DecodeInput): Decoded;
  /** The same of a long one, in steps: whoever runs them gives the event loop back in between. */
  decodeLong(input: DecodeInput): Generator<void, Decoded>;
}

export const jsonType = 'application/json; charset=utf-8';
export const megabyte = 1024 * 1024;
