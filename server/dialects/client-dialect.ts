// The format that a caller speaks: how its requests are read and its responses written.
import type { PromptParts } from '#server/dialects/openai-chat/prompt-parts.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';

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

export interface ClientDialect {
  readonly name: string;
  /** Headers of a client that are for a provider of the same format. */
  readonly forwardedHeaders: readonly string[];
  /** @throws {AppError} 400 with the field at fault */
  check(body: Readonly<Record<string, unknown>>): void;
  facts(body: Readonly<Record<string, unknown>>): BodyFacts;
  promptParts(body: Readonly<Record<string, unknown>>, model: string): PromptParts;
  /** Only for a body that `check` let pass. @throws {AppError} 400 with the field at fault */
  readRequest(body: Readonly<Record<string, unknown>>): ChatRequest;
  /** The body of a whole response. */
  writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Record<string, unknown>;
  createStreamWriter(options: ResponseWriterOptions): StreamWriter;
  /** A sign of life while the upstream is silent; `hasBegun`: the stream has had content. */
  keepAlive(hasBegun: boolean): string;
  errorBody(error: ErrorObject, requestId: string): Record<string, unknown>;
  /** An error as the last event of a stream that has begun. */
  errorEvent(error: ErrorObject, requestId: string): string;
}
