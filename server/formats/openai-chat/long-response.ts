// Forwards a long response without parsing it as a whole: its facts are in its short members.
import { outlineOf } from '#server/framing/json-outline.ts';
import { readDeep } from '../decode-whole.ts';
import type { DecodeInput, DeepWhole, FailedWhole, ForwardedWhole } from '../decoded-whole.ts';
import { textOf } from '../text-in-events.ts';
import { readWhole } from './identity-response.ts';
import { textKeys } from './text-keys.ts';

export function* readLong(input: DecodeInput): Generator<void, ForwardedWhole | DeepWhole | FailedWhole> {
  const { body } = input;
  if (isRewritten(input)) return readWhole(input);
  const outline = yield* outlineOf(body, undefined);
  if (outline === null) return { kind: 'failed', error: null };
  if (outline.isDeep) return readDeep(input, outline);
  const outlined = Buffer.from(outline.text);
  const short = readWhole({ ...input, body: outlined });
  if (short.kind !== 'whole') return short;
  if (short.body(null) !== outlined) return readWhole(input);
  return {
    ...short,
    written: () => textOf(body.toString('utf8'), textKeys),
    body: () => body,
    events: () => {
      const whole = readWhole(input);
      return whole.kind === 'whole' ? whole.events() : Buffer.alloc(0);
    },
  };
}

/** Whether the provider's record or the channel changes the response. */
function isRewritten({ route: { provider, setting } }: DecodeInput): boolean {
  return provider?.responses !== undefined || setting.thinkingToContent || setting.forceFormat;
}
