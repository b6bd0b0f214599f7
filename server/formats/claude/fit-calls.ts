// Adapts tool calls of a conversation to the next provider: ids by its rule, objects as input.
import { isObject } from '#server/framing/loose-json.ts';
import { type CallIdRule, fittingIds, type IdUse } from '../call-id-rules.ts';
import { argumentsObject, objectArguments } from '../tool-arguments.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the same body if nothing changes. */
export function fitCalls(body: Body, rule: CallIdRule): Body {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const uses = messages.flatMap((message: unknown, turn) => blocksOf(message).flatMap((block) => usesIn(block, turn)));
  if (uses.length === 0) return body;
  const ids = fittingIds(uses, rule) ?? uses.map(({ id }) => id);
  let at = 0;
  const fitted = messages.map((message: unknown) => {
    const blocks = blocksOf(message);
    const fittedBlocks = blocks.map((block) => (usesIn(block, 0).length === 0 ? withObjectInput(block) : fitBlock(block, ids[at++] ?? '')));
    return isObject(message) && fittedBlocks.some((block, index) => block !== blocks[index])
      ? { ...message, content: fittedBlocks }
      : message;
  });
  return fitted.some((message, index) => message !== messages[index]) ? { ...body, messages: fitted } : body;
}

function blocksOf(message: unknown): readonly unknown[] {
  return isObject(message) && Array.isArray(message.content) ? message.content : [];
}

function usesIn(block: unknown, turn: number): IdUse[] {
  if (!isObject(block)) return [];
  if (block.type === 'tool_use' && typeof block.id === 'string') return [{ kind: 'call', id: block.id, turn }];
  return block.type === 'tool_result' && typeof block.tool_use_id === 'string' ? [{ kind: 'result', id: block.tool_use_id, turn }] : [];
}

function fitBlock(block: unknown, id: string): unknown {
  if (!isObject(block)) return block;
  if (block.type === 'tool_result') return block.tool_use_id === id ? block : { ...block, tool_use_id: id };
  return withObjectInput(block.id === id ? block : { ...block, id });
}

/** Replaces invalid input: some clients send back the truncated input of a call. */
function withObjectInput(block: unknown): unknown {
  if (!isObject(block) || block.type !== 'tool_use' || isObject(block.input)) return block;
  return { ...block, input: argumentsObject(objectArguments(block.input)) };
}
