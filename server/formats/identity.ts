// Identity path: client and provider use the same format, and bytes are forwarded unless something must change.
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
  /** Maps an id in the provider's account to the caller's. If undefined, ids are unchanged. */
  restoreObjectId?: ((name: string) => string) | undefined;
  /** Signatures of this caller. If undefined, none are stored. */
  signatures?: SignatureMemory | undefined;
  tally: TextTally;
}

export interface IdentityPath {
  writeRequest(input: EncodeInput): EncodedRequest;
  readWhole(input: DecodeInput): DecodedWhole | DeepWhole | FailedWhole;
  /** Reads a long response in steps. */
  readLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole>;
  openStream(input: StreamInput): StreamPipe;
}
