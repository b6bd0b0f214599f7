// Types of a provider's complete response, decoded for the client.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { AdviceUsage, TokenUsage } from '#shared/token-usage.ts';
import type { ClientDialect, ResponseWriterOptions } from './client-dialect.ts';
import type { SignatureMemory } from './signature-memory.ts';
import type { ResponsePart } from './parts.ts';
import type { Route } from './route.ts';
import type { ErrorInResponse } from './stream-pipe.ts';

export interface DecodeInput {
  client: ClientDialect;
  route: Route;
  upstreamModel: string;
  body: Buffer;
  /** Request fields that determine how the response is written. */
  responseFields: Readonly<Record<string, unknown>>;
  writer: ResponseWriterOptions;
  /** Maps an id in the provider's account to the caller's. If undefined, ids are unchanged. */
  restoreObjectId?: ((name: string) => string) | undefined;
  /** Signatures of this caller. If undefined, none are stored. */
  signatures?: SignatureMemory | undefined;
}

/** A response that is translated, or one whose bytes are forwarded. */
export type DecodedWhole = TranslatedWhole | ForwardedWhole;

export interface TranslatedWhole extends WholeResponse {
  /** Content, for a client that requested a stream. */
  parts: readonly ResponsePart[];
  events?: undefined;
}

export interface ForwardedWhole extends WholeResponse {
  parts?: undefined;
  /** Writes the response as a stream of the provider's format, for a client that requested one. */
  events(): Buffer;
}

export interface WholeResponse {
  kind: 'whole';
  /** Reported usage, classes that are not reported 0. If null, none was reported. */
  usage: TokenUsage | null;
  /** Runs of hosted tools. If undefined, none. */
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries within the call, not part of `usage`. If undefined, none. */
  summaries?: TokenUsage | undefined;
  /** Tokens of advice by model, not part of `usage`. If undefined, none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** Finish reason that is in no table. */
  unknownEnding?: string | undefined;
  /** Billed units of a price per call. If undefined, the call itself. */
  units?: CallUnits | undefined;
  /** Cost in US dollars of a provider that reports no tokens. If undefined, none or within `usage`. */
  cost?: number | undefined;
  /** Tokens of content other than text, if no usage is reported. If undefined, there is only text. */
  outputTokens?: number;
  /** Content type. If undefined, the default of the call's kind. */
  contentType?: string;
  /** Whether the response has no choice and no vector. */
  isEmpty: boolean;
  /** Text that the model wrote, for token counts and blocked words. */
  written(): string;
  /** Writes the client's body; a translated one reports this usage. */
  body(usage: TokenUsage | null): Buffer;
  /** Writes a long body in steps. If undefined, `body` suffices. */
  longBody?(usage: TokenUsage | null): Generator<void, Buffer>;
}

/** A valid response with content nested deeper than bodies may be, such as tool arguments. */
export interface DeepWhole {
  kind: 'too_deep';
  /** Reported usage; null if none. */
  usage: TokenUsage | null;
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries within the call, not part of `usage`. If undefined, none. */
  summaries?: TokenUsage | undefined;
  /** Tokens of advice by model, not part of `usage`. If undefined, none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** Text that the model wrote, for token counts; possibly the whole body. */
  written(): string;
}

export interface FailedWhole {
  kind: 'failed';
  /** Error in the body; null if the body is not a response of the provider's format. */
  error: ErrorInResponse | null;
}
