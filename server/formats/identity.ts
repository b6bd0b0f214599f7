// The way of a call whose client and provider speak the same format: bytes pass wherever nothing has to change.
import type { ClientDialect, ResponseWriterOptions } from './client-dialect.ts';
import type { DecodeInput, DecodedWhole, DeepWhole, FailedWhole } from './decoded-whole.ts';
import type { Route } from './route.ts';
import type { EncodeInput, EncodedRequest } from './encode-input.ts';
import type { StreamPipe } from './stream-pipe.ts';
import type { SignatureMemory } from './signature-memory.ts';
import type { TextTally } from './text-tally.ts';

export interface StreamInput {
  client: ClientDialect;
  route: Route;
  upstreamModel: string;
  writer: ResponseWriterOptions;
  /** How the caller is told a name of something in the provider's account. Missing: as it is. */
  restoreObjectId?: ((name: string) => string) | undefined;
  /** Of the caller; missing: nothing is kept. */
  signatures?: SignatureMemory | undefined;
  tally: TextTally;
}

export interface IdentityPath {
  writeRequest(input: EncodeInput): EncodedRequest;
  readWhole(input: DecodeInput): DecodedWhole | DeepWhole | FailedWhole;
  /** The same of a long response, in steps. */
  readLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole>;
  openStream(input: StreamInput): StreamPipe;
}
