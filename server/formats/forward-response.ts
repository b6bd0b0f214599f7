// Forwards a complete response to a client of the same format: bytes are unchanged, and only billing facts are read.
import { outlineOf } from '#server/framing/json-outline.ts';
import { eventsOf, readByParts, readDeep } from './decode-whole.ts';
import type { DecodeInput, DeepWhole, FailedWhole, ForwardedWhole } from './decoded-whole.ts';

export function forwardWhole(input: DecodeInput): ForwardedWhole | DeepWhole | FailedWhole {
  return readByParts(input, { body: () => input.body, stream: (parts) => ({ events: () => eventsOf(parts, input) }) });
}

/** Reads the facts of a long response from its outline of short members. */
export function* forwardLong(input: DecodeInput): Generator<void, ForwardedWhole | DeepWhole | FailedWhole> {
  const outline = yield* outlineOf(input.body, undefined);
  if (outline === null || outline.isDeep) return readDeep(input, outline);
  const short = forwardWhole({ ...input, body: Buffer.from(outline.text) });
  if (short.kind !== 'whole') return short;
  const whole = () => {
    const read = forwardWhole(input);
    return read.kind === 'whole' ? read : short;
  };
  return { ...short, body: () => input.body, written: () => whole().written(), events: () => whole().events() };
}
