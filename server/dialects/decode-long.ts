// A long response, decoded in steps: whoever runs them gives the event loop back in between.
import { decodeWhole } from './decode-whole.ts';
import type { DecodedWhole, DecodeInput, FailedWhole } from './decoded-whole.ts';

/** Bytes of a response beyond which decoding takes milliseconds. */
const longBytes = 256 * 1024;

export function isLong(body: Buffer): boolean {
  return body.length > longBytes;
}

export function* decodeLong(input: DecodeInput): Generator<void, DecodedWhole | FailedWhole> {
  const { client, channel } = input;
  if (client.name === channel.dialect.name) return yield* channel.dialect.identity.readLong(input);
  return decodeWhole(input);
}
