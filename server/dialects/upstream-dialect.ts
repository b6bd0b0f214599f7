// The format that a provider speaks: how requests to it are written and its responses read.
import type { ChatRequest, ResponsePart, UpstreamErrorObject } from './parts.ts';

export interface WritePlan {
  upstreamModel: string;
  /** Ask for the usage of a stream where the format has a field for that. */
  forceUsage: boolean;
  /** Tokens of the response when the client set no limit and the format demands one. */
  defaultMaxTokens(model: string): number;
}

export interface WrittenRequest {
  body: Record<string, unknown>;
  /** Names of the client's fields that this format has no place for; the call goes on without them. */
  dropped: readonly string[];
}

/** Reads one stream. Holds no more than the format needs to make sense of the next event. */
export interface StreamReader {
  /** @param data one event's data; never the ending mark of the framing */
  read(data: string): readonly ResponsePart[];
  /** True once the upstream has said that nothing follows; never in a format whose streams end with a mark of the framing. */
  readonly isComplete: boolean;
}

export interface UpstreamDialect {
  readonly name: string;
  /** @throws {AppError} 400 `untranslatable` with the client's field that cannot be carried over and must not be left out */
  writeRequest(request: ChatRequest, plan: WritePlan): WrittenRequest;
  /** Null: not a response of this format. */
  readWhole(body: Readonly<Record<string, unknown>>): readonly ResponsePart[] | null;
  /** Whether a usage object has main numbers that cannot be counts of tokens. */
  isInvalidUsage(usage: unknown): boolean;
  createStreamReader(): StreamReader;
  /** Null: the body holds no error of this format. */
  readError(body: Readonly<Record<string, unknown>>): UpstreamErrorObject | null;
}
