// Decodes a long response in steps, so that the event loop runs in between.
import { translateLong } from './decode-whole.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from './decoded-whole.ts';

/** Size from which decoding takes milliseconds. */
const longBytes = 256 * 1024;

export function isLong(body: Buffer): boolean {
  return body.length > longBytes;
}

export function* decodeLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole> {
  const { identity } = input.route;
  return yield* identity === null ? translateLong(input) : identity.readLong(input);
}
