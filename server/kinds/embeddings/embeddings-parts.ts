// A request for embeddings and its response, in no format's words, and what a format has to offer to take part.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { DecodeTokens } from '#server/formats/token-lists.ts';

type Body = Readonly<Record<string, unknown>>;

export interface EmbeddingsRequest {
  /** One vector for each, in order. */
  inputs: readonly string[];
  /** How long the vectors shall be; undefined: as long as the model makes them. */
  dimensions: number | undefined;
  /** Fields of the caller's body that have no place here. */
  extras: Body;
  /** Names of the caller's fields that no other format has a place for. */
  lost?: readonly string[];
}

export interface EmbeddingsResponse {
  vectors: readonly (readonly number[])[];
  /** Null: none was told. */
  usage: TokenUsage | null;
}

/** A format in which callers ask for embeddings. */
export interface EmbeddingsClient extends ClientCall {
  /**
   * Only for a body that `check` let pass. A promise only where tokens have to be read.
   * @throws {AppError} `untranslatable` for what is no text, `invalid_request` for tokens that there are none of
   */
  readRequest(body: Body, decodeTokens: DecodeTokens): EmbeddingsRequest | Promise<EmbeddingsRequest>;
  writeResponse(response: EmbeddingsResponse, input: Pick<DecodeInput, 'responseFields' | 'writer'>): Record<string, unknown>;
  /** A provider's response in this same format as its caller wants it. */
  forward: EmbeddingsForward;
}

/** The way of bytes: both ends speak one format. */
export interface EmbeddingsForward {
  /** The caller's body with the provider's name of the model in it. Missing: that is its field `model`. */
  request?(body: Body, model: string): { body: Body; isBatch: boolean };
  /** Null: not a response of this format. `body` is the caller's. */
  whole(input: DecodeInput, text: string, reported: Body): ForwardedEmbeddings | null;
  /** The same in steps, never parsed as a whole. Null: it is no JSON, or too deep to be a response. */
  long(input: DecodeInput): Generator<void, LongEmbeddings | null>;
}

export interface ForwardedEmbeddings {
  usage: TokenUsage | null;
  isEmpty: boolean;
  body: Buffer;
}

export interface LongEmbeddings {
  /** The response without its vectors, for the errors in it. */
  outline: string;
  /** Null: not a response of this format. */
  forwarded: ForwardedEmbeddings | null;
}

/** A format in which providers are asked for embeddings. */
export interface EmbeddingsProvider {
  /** Texts of one request; missing: as many as callers may send. */
  mostInputs?(model: string): number;
  /** @param model the name that goes upstream */
  writeRequest(request: EmbeddingsRequest, model: string): WrittenEmbeddings;
  /** Null: not a response of this format. */
  readResponse(body: Body): EmbeddingsResponse | null;
}

export interface WrittenEmbeddings {
  body: Record<string, unknown>;
  headers?: Readonly<Record<string, string>>;
  /** Names of the caller's fields that the provider has no place for. */
  dropped: readonly string[];
  /** It goes to the path of several requests in one. */
  isBatch?: boolean;
}
