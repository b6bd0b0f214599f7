// Decodes a provider's response for the client, whole or streamed.
import type { CallKind, Decoded } from '#server/kinds/call-kind.ts';
import type { DecodedWhole, DecodeInput, DeepWhole } from '#server/formats/decoded-whole.ts';
import type { StreamInput } from '#server/formats/identity.ts';
import { openStream } from '#server/formats/open-stream.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import { type Counting, countText, estimateTextTokens } from './token-estimate.ts';
import { failureInBody, invalidResponse, type UpstreamFailure } from './upstream-error.ts';

export type ReadInput = DecodeInput & { kind: CallKind; channel: PreparedChannel };
export type ReadResponse = DecodedWhole | DeepWhole | { kind: 'failed'; failure: UpstreamFailure };

export function readWhole(input: ReadInput): ReadResponse {
  const decoded = input.kind.decode(input);
  return decoded.kind === 'failed' ? judged(decoded, input) : decoded;
}

/** Decodes a long response in steps. */
export function* readLong(input: ReadInput): Generator<void, ReadResponse> {
  return judged(yield* input.kind.decodeLong(input), input);
}

function judged(decoded: Decoded, { channel }: ReadInput): ReadResponse {
  if (decoded.kind !== 'failed') return decoded;
  return { kind: 'failed', failure: decoded.error === null ? invalidResponse() : failureInBody(decoded.error, channel) };
}

/** @param counting user whose share of the tokenizer is used */
export function createPipe(input: Omit<StreamInput, 'tally'>, counting: Counting): StreamPipe {
  const tally = new TextTally({ countText: (text) => countText(text, input.writer.model, counting), estimateText: estimateTextTokens });
  return openStream({ ...input, tally });
}
