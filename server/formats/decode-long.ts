// A long response, decoded in steps: whoever runs them gives the event loop back in between.
import { translateLong } from './decode-whole.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from './decoded-whole.ts';

/** Bytes of a response beyond which decoding takes milliseconds. */
const longBytes = 256 * 1024;

export function isLong(body: Buffer): boolean {
  return body.length > longBytes;
}

export function* decodeLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole> {
  const { identity } = input.route;
  return yield* identity === null ? translateLong(input) : identity.readLong(input);
}
