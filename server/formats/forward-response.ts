// Forwards a complete response to a client of the same format: bytes are unchanged, and only billing facts are read.
import { outlineOf } from '#server/framing/json-outline.ts';
import { readByParts, readDeep } from './decode-whole.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from './decoded-whole.ts';

export function forwardWhole(input: DecodeInput): DecodedWhole | DeepWhole | FailedWhole {
  return readByParts(input, () => input.body);
}

/** Reads the facts of a long response from its outline of short members. */
export function* forwardLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole> {
  const outline = yield* outlineOf(input.body, undefined);
  if (outline === null || outline.isDeep) return readDeep(input, outline);
  const short = readByParts({ ...input, body: Buffer.from(outline.text) }, () => input.body);
  if (short.kind !== 'whole') return short;
  const whole = () => {
    const read = forwardWhole(input);
    return read.kind === 'whole' ? read : short;
  };
  return { ...short, written: () => whole().written(), events: () => whole().events() };
}
