// A conversation that is to be shortened (`compaction_trigger` as the last item), for providers that cannot: their model writes a
// summary, and the response's one item is that. Whoever sends the response to the caller seals it (`summaryMark`).
import { isObject } from '#server/framing/loose-json.ts';
import type { Message } from '../parts.ts';
import { summaryInstruction } from '../summary-instruction.ts';

type Body = Readonly<Record<string, unknown>>;

/** What stands before a summary in `encrypted_content` until it is sealed. */
export const summaryMark = 'tidegate-summary:';

export function isCompaction({ input }: Body): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger';
}

/** Without the item that asks for it. */
export function withoutTrigger(body: Body): Body {
  return Array.isArray(body.input) ? { ...body, input: body.input.slice(0, -1) } : body;
}

/** What the model is asked instead. */
export function summaryRequest(field: string): Message {
  return { role: 'user', content: [{ type: 'text', text: summaryInstruction }], field };
}
