// Interface of a pipe between two formats: takes complete upstream events, returns bytes for the client and facts for billing
// and logs. Each stream has its pipe, which does no I/O.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { AdviceUsage, TokenUsage } from '#shared/token-usage.ts';
import type { StreamVoice } from './client-dialect.ts';
import type { ResponsePart, UpstreamErrorObject } from './parts.ts';

/** Error in a response, with the equivalent HTTP status. */
export interface ErrorInResponse {
  status: number;
  message: string;
  type: string;
  param: string;
  code: string | number | null;
  /** Usage that is billed in spite of the error. If undefined, none. */
  usage?: TokenUsage;
  /** Seconds until a retry, if a field states them. */
  retryAfter?: number;
}

export function errorInResponse({
  message,
  type,
  param = '',
  code = null,
  status = 502,
  retryAfter,
  usage,
}: UpstreamErrorObject): ErrorInResponse {
  return {
    message,
    type,
    param,
    code,
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Content of the first events. `comments`: none yet. */
export type StreamOpening = 'stream' | 'comments' | 'invalid' | ErrorInResponse;

export interface PipeStep {
  forClient: readonly Buffer[];
  /** Data of the received events, if some are sent later. If undefined, all are in `forClient`. */
  reported?: readonly string[];
  /**
   * `complete`: the upstream ended the stream as its format requires. `invalid`: an event is not of the format. `too_deep`: an
   * event is nested too deep to parse. `blocked`: a wrapper of the pipe decided that the events must not be sent.
   */
  next: 'more' | 'complete' | 'invalid' | 'too_deep' | 'blocked' | ErrorInResponse;
}

export interface ReportedUsage {
  /** Usage, with 0 for classes that are not reported; null if none or an implausible one was reported. */
  usage: TokenUsage | null;
  /** Whether the reported usage is implausible. */
  isInvalid: boolean;
  /** Whether the model wrote text after the usage, which excludes that text. */
  hasTextAfter: boolean;
  /** Runs of hosted tools, reported or observed. If undefined, none. */
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries within the call, not part of `usage`. If undefined, none. */
  summaries?: TokenUsage | undefined;
  /** Tokens of advice by model, not part of `usage`. If undefined, none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** Finish reason that is in no table. */
  unknownEnding?: string;
  /** Units of a price per call. If undefined, the call itself. */
  units?: CallUnits;
  /** Whether events were received, but none of the requested content. */
  isNothing?: boolean;
}

export interface StreamPipe extends StreamVoice {
  open(events: Buffer): StreamOpening;
  /** @param isOwned whether the buffer is not reused by others */
  push(events: Buffer, isOwned: boolean): PipeStep;
  /**
   * Translates a whole response in place of a stream. If undefined, whole responses are written as events first.
   * @param bytes size of the response
   */
  pushWhole?(parts: readonly ResponsePart[], bytes: number): PipeStep;
  /** Reports whether the rest of a body, which lacks a final empty line, is an event. */
  isEvent(rest: Buffer): boolean;
  /** Reports whether content was received, after which a failed call is not retried. If undefined, any event counts. */
  hasContent?(): boolean;
  /** Reports whether the model reported a finish reason and wrote nothing since. */
  hasFinished(): boolean;
  /** Drops unfinished items of an aborted stream, so that they are not billed. If undefined, content is billed as it comes. */
  dropUnfinished?(): void;
  /** Bytes of whole events so far. */
  readonly bytes: number;
  /** Approximate tokens so far, to extend a reservation. */
  roughTokens(): number;
  reportedUsage(): ReportedUsage;
  /** Counts tokens of the model's text; never rejects. */
  countTokens(): Promise<number>;
  /** Returns the regular end in the client's format. */
  ending(usage: TokenUsage | null): Buffer;
  /** Releases buffers. No method may be called afterwards. */
  close(): void;
}

/** @throws {Error} if the pipe translates nothing */
export function pushWhole(pipe: StreamPipe, parts: readonly ResponsePart[], bytes: number): PipeStep {
  const step = pipe.pushWhole?.(parts, bytes);
  if (step === undefined) throw new Error('A stream that forwards bytes does not take parts');
  return step;
}
