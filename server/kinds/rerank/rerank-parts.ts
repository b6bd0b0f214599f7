// Reranking response independent of any provider, and how providers' requests differ.
import type { CallUnits } from '#shared/call-units.ts';
import type { TokenUsage } from '#shared/token-usage.ts';

export interface RerankResult {
  /** Index in the request's documents, from 0. */
  index: number;
  score: number;
  /** Document as the provider returns it: a text, or an object with one; undefined if it returns none. */
  document: unknown;
}

export interface RerankResponse {
  results: readonly RerankResult[];
  /** Null if none was reported. */
  usage: TokenUsage | null;
  /** Searches that the provider bills; undefined if not reported. */
  units: CallUnits | undefined;
}

/** Request format of a provider. Members left undefined forward the caller's fields. */
export interface RerankFormat {
  /** Accepts texts only. */
  textsOnly?: boolean;
  /** Accepts objects only: query and documents are wrapped. */
  objectsOnly?: boolean;
  /** Always sends the flag that returns documents, false by default. */
  saysReturn?: boolean;
  rename?: Readonly<Record<string, string>>;
  /** Accepted fields; if undefined, any. */
  fields?: readonly string[];
  /** Nested fields: these in `input`, those in `parameters`; others are dropped. */
  nested?: NestedFields;
}

export interface NestedFields {
  input: readonly string[];
  parameters: readonly string[];
}

/** Response shape, detected from the request: `cohere` is Cohere's first API. */
export type RerankShape = 'jina' | 'cohere' | 'cohere-v2';

/** Request fields that the response writer needs. */
export interface RerankRequested {
  shape: RerankShape;
  topN: number | undefined;
  /** Number of documents. */
  documents: number;
  returnsDocuments: boolean | undefined;
  /** Texts of the documents, if they are to be returned. */
  texts: readonly string[] | undefined;
}
