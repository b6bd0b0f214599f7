// A reranking's response in no provider's words, and how providers differ in what they are asked.
import type { CallUnits } from '#shared/call-units.ts';
import type { TokenUsage } from '#shared/token-usage.ts';

export interface RerankResult {
  /** Of the request's documents, from 0. */
  index: number;
  score: number;
  /** As the provider has it: a text, or an object with one; undefined: it tells none. */
  document: unknown;
}

export interface RerankResponse {
  results: readonly RerankResult[];
  /** Null: none was told. */
  usage: TokenUsage | null;
  /** Searches that the provider bills; undefined: it tells none. */
  units: CallUnits | undefined;
}

/** How a provider is asked. What it does not say goes as the caller wrote it. */
export interface RerankFormat {
  /** Documents are texts. */
  textsOnly?: boolean;
  /** Question and documents are objects: a text is told as one. */
  objectsOnly?: boolean;
  /** It is always told whether to send documents back; callers who do not say do not want them. */
  saysReturn?: boolean;
  rename?: Readonly<Record<string, string>>;
  /** What it has a place for; missing: anything. */
  fields?: readonly string[];
  /** Where its fields stand: these in `input`, those in `parameters`. It has a place for no others. */
  nested?: NestedFields;
}

export interface NestedFields {
  input: readonly string[];
  parameters: readonly string[];
}

/** Who asks decides how it is answered: `cohere` is its first API. */
export type RerankShape = 'jina' | 'cohere' | 'cohere-v2';

/** What of a request its response is written by. */
export interface RerankRequested {
  shape: RerankShape;
  topN: number | undefined;
  /** How many. */
  documents: number;
  returnsDocuments: boolean | undefined;
  /** Where they are to be told: what each of them says. */
  texts: readonly string[] | undefined;
}
