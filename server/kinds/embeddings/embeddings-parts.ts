// Embeddings request and response independent of any format, and the members that a format implements.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { DecodeTokens } from '#server/formats/token-lists.ts';

type Body = Readonly<Record<string, unknown>>;

export interface EmbeddingsRequest {
  /** One vector is returned for each, in order. */
  inputs: readonly string[];
  /** Length of the vectors; if undefined, the model's default. */
  dimensions: number | undefined;
  /** Caller's fields not mapped above. */
  extras: Body;
  /** Names of the caller's fields that no other format can carry. */
  lost?: readonly string[];
}

export interface EmbeddingsResponse {
  vectors: readonly (readonly number[])[];
  /** Null if none was reported. */
  usage: TokenUsage | null;
}

/** Client format of embeddings. */
export interface EmbeddingsClient extends ClientCall {
  /**
   * Reads a body that passed `check`. Returns a promise only if tokens must be decoded.
   * @throws {AppError} `untranslatable` for input that is no text, `invalid_request` for unknown token ids
   */
  readRequest(body: Body, decodeTokens: DecodeTokens): EmbeddingsRequest | Promise<EmbeddingsRequest>;
  writeResponse(response: EmbeddingsResponse, input: Pick<DecodeInput, 'responseFields' | 'writer'>): Record<string, unknown>;
  /** Adapts a provider's response in the same format. */
  forward: EmbeddingsForward;
}

/** Pass-through path: both ends use one format. */
export interface EmbeddingsForward {
  /** Sets the provider's model name in the caller's body. If undefined, the field `model` is set. */
  request?(body: Body, model: string): { body: Body; isBatch: boolean };
  /** Returns null if the response is not of this format. `body` is the caller's. */
  whole(input: DecodeInput, text: string, reported: Body): ForwardedEmbeddings | null;
  /** Same as `whole` in steps, never parsed as a whole. Returns null if the body is no JSON or nested too deep. */
  long(input: DecodeInput): Generator<void, LongEmbeddings | null>;
}

export interface ForwardedEmbeddings {
  usage: TokenUsage | null;
  isEmpty: boolean;
  body: Buffer;
}

export interface LongEmbeddings {
  /** The response without its vectors, to find errors in. */
  outline: string;
  /** Null if the response is not of this format. */
  forwarded: ForwardedEmbeddings | null;
}

/** Upstream format of embeddings. */
export interface EmbeddingsProvider {
  /** Maximum texts of one request; if undefined, the callers' limit. */
  mostInputs?(model: string): number;
  /** @param model upstream model name */
  writeRequest(request: EmbeddingsRequest, model: string): WrittenEmbeddings;
  /** Returns null if the response is not of this format. */
  readResponse(body: Body): EmbeddingsResponse | null;
}

export interface WrittenEmbeddings {
  body: Record<string, unknown>;
  headers?: Readonly<Record<string, string>>;
  /** Names of the caller's fields that the provider cannot carry. */
  dropped: readonly string[];
  /** Whether to use the batch path. */
  isBatch?: boolean;
}
