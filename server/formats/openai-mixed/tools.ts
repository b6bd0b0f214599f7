// Tools of a body that mixes two formats.
import { isObject } from '#server/framing/loose-json.ts';
import type { Body } from '#server/framing/strict-fields.ts';

/** Tool types that chat completions nest in an object of that name, and Responses do not. */
const kinds: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** Converts a tool to the form of Responses. */
export function flatTool(tool: unknown): unknown {
  if (!isObject(tool) || typeof tool.type !== 'string' || !kinds.has(tool.type)) return tool;
  const { type, [type]: inner, ...rest } = tool;
  if (!isObject(inner)) return tool;
  const { format, ...described } = inner;
  return { ...rest, type, ...described, ...(isObject(format) ? { format: flatFormat(format) } : {}) };
}

function flatFormat({ grammar, ...format }: Body): Body {
  return isObject(grammar) ? { ...format, ...grammar } : format;
}

/** Converts a tool to the form of chat completions. */
export function nestedTool(tool: unknown): unknown {
  if (!isFlatTool(tool)) return tool;
  const { type, ...inner } = tool;
  if (type === 'function') return { type, function: inner };
  const { format } = inner;
  return { type, custom: { ...inner, ...(isObject(format) ? { format: nestedFormat(format) } : {}) } };
}

function nestedFormat({ type, syntax, definition }: Body): Body {
  return type === 'grammar' ? { type, grammar: { syntax, definition } } : { type };
}

function isFlatTool(tool: unknown): tool is Body {
  return isObject(tool) && kinds.has(tool.type) && typeof tool.name === 'string' && tool[String(tool.type)] === undefined;
}

/** Whether a chat completion has a tool in the form of Responses. */
export function isFlat({ tools }: Body): boolean {
  return Array.isArray(tools) && tools.some(isFlatTool);
}

/** Flattens `{"type": "function", "function": {"name": …}}` and similar choices. */
export function flatChoice(choice: unknown): unknown {
  return isObject(choice) ? flatTool(choice) : choice;
}

export function nestedChoice(choice: unknown): unknown {
  return isObject(choice) ? nestedTool(choice) : choice;
}

/**
 * Free text tools by name, with the form of their calls. Cursor sends such a tool in the form of Responses and still reads the call from
 * `function`.
 */
export function textToolsOf({ tools, input }: Body): Readonly<Record<string, 'custom' | 'function'>> {
  const found: Record<string, 'custom' | 'function'> = {};
  const add = (list: unknown) => {
    for (const tool of Array.isArray(list) ? list : []) {
      if (!isObject(tool) || tool.type !== 'custom') continue;
      if (isObject(tool.custom) && typeof tool.custom.name === 'string') found[tool.custom.name] = 'custom';
      else if (typeof tool.name === 'string') found[tool.name] = 'function';
    }
  };
  add(tools);
  for (const item of Array.isArray(input) ? input : []) if (isObject(item) && item.type === 'additional_tools') add(item.tools);
  return found;
}
