// A provider's whole response, and what it is to the client.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { AdviceUsage, TokenUsage } from '#shared/token-usage.ts';
import type { ClientDialect, ResponseWriterOptions } from './client-dialect.ts';
import type { SignatureMemory } from './signature-memory.ts';
import type { Route } from './route.ts';
import type { ErrorInResponse } from './stream-pipe.ts';

export interface DecodeInput {
  client: ClientDialect;
  route: Route;
  upstreamModel: string;
  /** The provider's body. */
  body: Buffer;
  /** The fields of the request that say how its response is written. */
  responseFields: Readonly<Record<string, unknown>>;
  writer: ResponseWriterOptions;
  /** How the caller is told a name of something in the provider's account. Missing: as it is. */
  restoreObjectId?: ((name: string) => string) | undefined;
  /** Of the caller; missing: nothing is kept. */
  signatures?: SignatureMemory | undefined;
}

export interface DecodedWhole {
  kind: 'whole';
  /** Null: none was told. Classes that were not told are 0. */
  usage: TokenUsage | null;
  /** Tools that ran at the provider; missing: none. */
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries that the provider has had written within the call, beside `usage`; missing: none. */
  summaries?: TokenUsage | undefined;
  /** The same of advice, by the model that has given it; missing: none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** The provider's word for why it ended, where no table has it. */
  unknownEnding?: string | undefined;
  /** What a price per call is for, as the provider tells it; missing: the call. */
  units?: CallUnits | undefined;
  /** US dollars that a provider says it takes which tells no tokens; missing: it says nothing, or in `usage`. */
  cost?: number | undefined;
  /** Tokens of what it holds beside texts, for where none are told; missing: it holds nothing else. */
  outputTokens?: number;
  /** Missing: that of its kind of call. */
  contentType?: string;
  /** There is nothing in it: no choice, no vector. */
  isEmpty: boolean;
  /** What the model wrote, for counting, and for words that the site blocks. */
  written(): string;
  /** The client's body; a translated one tells this usage. */
  body(usage: TokenUsage | null): Buffer;
  /** The same of a long one, in steps. Missing: `body` takes one. */
  longBody?(usage: TokenUsage | null): Generator<void, Buffer>;
  /** The same response as a stream in the provider's own format. */
  events(): Buffer;
}

/** A response of the provider's format, but for arguments of tools, or something else, nested deeper than callers' bodies may be. */
export interface DeepWhole {
  kind: 'too_deep';
  /** Null: none was told. */
  usage: TokenUsage | null;
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries that the provider has had written within the call, beside `usage`; missing: none. */
  summaries?: TokenUsage | undefined;
  /** The same of advice, by the model that has given it; missing: none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** What the model wrote, for counting; roughly, where that cannot be told from the rest. */
  written(): string;
}

export interface FailedWhole {
  kind: 'failed';
  /** Null: it is no response of the provider's format. */
  error: ErrorInResponse | null;
}
