// Compaction (`compaction_trigger` as last item) for providers without it: the model writes a summary, which is the only
// item of the response. It has the prefix `summaryMark` until it is sealed, when the response is sent.
import { isObject } from '#server/framing/loose-json.ts';
import type { Message } from '../parts.ts';
import { summaryInstruction } from '../summary-instruction.ts';

type Body = Readonly<Record<string, unknown>>;

/** Prefix of a summary in `encrypted_content` until it is sealed. */
export const summaryMark = 'tidegate-summary:';

export function isCompaction({ input }: Body): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger';
}

/** Removes the trigger item. */
export function withoutTrigger(body: Body): Body {
  return Array.isArray(body.input) ? { ...body, input: body.input.slice(0, -1) } : body;
}

/** Message that replaces the trigger. */
export function summaryRequest(field: string): Message {
  return { role: 'user', content: [{ type: 'text', text: summaryInstruction }], field };
}
