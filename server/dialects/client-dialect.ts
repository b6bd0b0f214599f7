// The format that a caller speaks: how its requests are read and its responses written.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { DecidingNames } from './deciding-names.ts';
import type { LossFields } from './loss.ts';
import type { OnlyField } from './only-field.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';
import type { PromptParts } from './prompt-parts.ts';
import type { Capability } from './provider-traits.ts';

/** An error as the caller is told it; `type` and `code` are words of our own or the upstream's. */
export interface ErrorObject {
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
  /** HTTP status. */
  status: number;
}

/** What admission, routing and money need of a body, without reading all of it. */
export interface BodyFacts {
  isStream: boolean;
  /** The most tokens that one choice of the response may have; 0: not said. */
  maxTokens: number;
  choices: number;
  /** The caller wants to be told the usage of a stream. */
  wantsUsage: boolean;
}

export interface ResponseWriterOptions {
  model: string;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
  wantsUsage: boolean;
  /** Prompt tokens as estimated, for formats that name them before the upstream has. */
  promptEstimate: number;
}

/** Writes one stream. Every method returns the text of whole events, possibly none. */
export interface StreamWriter {
  write(part: ResponsePart): string;
  /** The proper ending, with the usage as it is charged. Nothing may be written afterwards. */
  end(usage: TokenUsage | null): string;
}

/** A model that a caller may use. */
export interface ListedModel {
  id: string;
  /** Who makes it. */
  owner: string;
}

type Body = Readonly<Record<string, unknown>>;

/** One thing that callers can ask for in a format. */
export interface ClientCall {
  /** @throws {AppError} 400 with the field at fault */
  check(body: Body): void;
  /** Only for a body that `check` let pass. */
  facts(body: Body): BodyFacts;
  /** What of a body counts as prompt. Read loosely: it also serves estimates of what is refused later. */
  promptParts(body: Body, model: string): PromptParts;
  /** What of a request is taken in one spelling only. */
  names: DecidingNames;
  /** The fields of a request that say how its response is written. */
  responseFields?: readonly string[];
  /** The smallest request that shows whether a model answers. @param upstreamModel what the limits depend on */
  probe?(model: string, upstreamModel: string): Record<string, unknown>;
}

export interface ClientDialect {
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** Missing: callers cannot ask for that in this format. */
  readonly calls: Readonly<Partial<Record<Capability, ClientCall>>>;
  /** Whether a request to an address that several formats share is of this one. Missing: it is where no other one says so. */
  isSpokenWith?(headers: Headers): boolean;
  /** Headers of a client that are for a provider of the same format. */
  readonly forwardedHeaders: readonly string[];
  /** The header in which the format's own libraries look for the id of a call. */
  readonly requestIdHeader: string;
  /** Where a body says how many tokens a choice may have; the first is set where there is none. */
  readonly limitFields: readonly string[];
  /** Fields of requests that no other format has. */
  readonly onlyFields: Readonly<Record<string, OnlyField>>;
  /** What other formats may have no place for, as this one says it. */
  readonly lossFields: LossFields;
  /** Only for a body that `check` let pass. @throws {AppError} 400 with the field at fault */
  readRequest(body: Body): ChatRequest;
  /** The body of a whole response. */
  writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Record<string, unknown>;
  createStreamWriter(options: ResponseWriterOptions): StreamWriter;
  /** The response to a call that only counts a prompt. */
  writeTokenCount?(tokens: number): Record<string, unknown>;
  writeModel(model: ListedModel): Record<string, unknown>;
  /** A list of models, or what the query asks of it. @throws {AppError} 400 with the parameter at fault */
  writeModelList(models: readonly ListedModel[], query: URLSearchParams): Record<string, unknown>;
  /** A sign of life while the upstream is silent; `hasBegun`: the stream has had content. */
  keepAlive(hasBegun: boolean): string;
  errorBody(error: ErrorObject, requestId: string): Record<string, unknown>;
  /** An error as the last event of a stream that has begun. */
  errorEvent(error: ErrorObject, requestId: string): string;
}
