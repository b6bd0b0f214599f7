// What the relay needs of a stream, whatever the formats at its two ends: whole events of the upstream in, bytes for the
// client out, and what money and the log need to know. One per stream; nothing here waits or writes.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { AdviceUsage, TokenUsage } from '#shared/token-usage.ts';
import type { StreamVoice } from './client-dialect.ts';
import type { UpstreamErrorObject } from './parts.ts';

/** An error as an upstream told it within a response, with the status that it stands for. */
export interface ErrorInResponse {
  status: number;
  message: string;
  type: string;
  param: string;
  code: string | number | null;
  /** What its provider has read, and bills, all the same. Missing: nothing. */
  usage?: TokenUsage;
  /** Seconds until its provider wants to be asked again, where a field says so. */
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

/** What the first events are: `comments` is not known yet. */
export type StreamOpening = 'stream' | 'comments' | 'invalid' | ErrorInResponse;

export interface PipeStep {
  forClient: readonly Buffer[];
  /** What the events say that came, where some of them leave later; missing: all of them leave now. */
  reported?: readonly string[];
  /** `complete`: the upstream has said, in its format, that this was all. `invalid`: what came then is no event of the format. `too_deep`: it is nested too deep to be one. */
  next: 'more' | 'complete' | 'invalid' | 'too_deep' | ErrorInResponse;
}

export interface ReportedUsage {
  /** Null: none was told, or it cannot be true. Classes that were not told are 0. */
  usage: TokenUsage | null;
  /** Something was told that cannot be true. */
  isInvalid: boolean;
  /** The model wrote on after it: that is not in it. */
  hasTextAfter: boolean;
  /** Tools that ran at the provider, as it tells or as they were seen; missing: none. */
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries that the provider has had written within the call, beside `usage`; missing: none. */
  summaries?: TokenUsage | undefined;
  /** The same of advice, by the model that has given it; missing: none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** The provider's word for why it ended, where no table has it. */
  unknownEnding?: string;
  /** What a price per call is for; missing: the call. */
  units?: CallUnits;
  /** Events went by, and nothing of what was asked for was in them or will come. */
  isNothing?: boolean;
}

export interface StreamPipe extends StreamVoice {
  open(events: Buffer): StreamOpening;
  /** @param isOwned nobody else keeps these bytes */
  push(events: Buffer, isOwned: boolean): PipeStep;
  /** Whether what is left without an empty line behind it, at the end of the body, is an event all the same. */
  isEvent(rest: Buffer): boolean;
  /** Something of the response has come: before that, a failure may go to another channel. Missing: whatever comes is something. */
  hasContent?(): boolean;
  /** The model has said why it ends, and has written nothing since. */
  hasFinished(): boolean;
  /** It ends, and not by its caller: what was being made as a whole and has not come is owed by nobody. Missing: what is made comes as it is made. */
  dropUnfinished?(): void;
  /** Bytes of whole events that have gone by. */
  readonly bytes: number;
  /** Rough number of tokens so far; for growing a reservation while the stream runs. */
  roughTokens(): number;
  reportedUsage(): ReportedUsage;
  /** Tokens of all that the model wrote, counted; never rejects. */
  countTokens(): Promise<number>;
  /** The proper ending in the client's format. */
  ending(usage: TokenUsage | null): Buffer;
  /** Gives buffers back. Nothing may be asked afterwards. */
  close(): void;
}
