// Tools of a body that tells them in one format's way and in another's.
import { isObject } from '#server/framing/loose-json.ts';
import type { Body } from '../strict-fields.ts';

/** Kinds of tools that chat completions tell within an object of that name, and Responses without one. */
const kinds: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** As Responses tells it. */
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

/** As a chat completion tells it. */
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

/** Whether a chat completion tells a tool as Responses does. */
export function isFlat({ tools }: Body): boolean {
  return Array.isArray(tools) && tools.some(isFlatTool);
}

/** `{"type": "function", "function": {"name": …}}` and the like, without the object within. */
export function flatChoice(choice: unknown): unknown {
  return isObject(choice) ? flatTool(choice) : choice;
}

export function nestedChoice(choice: unknown): unknown {
  return isObject(choice) ? nestedTool(choice) : choice;
}

/**
 * Tools that are called with a free text, by name, and how a call of each is told: as the chat format does, or within a `function`.
 * Cursor tells such a tool as Responses does, and looks for the name of its call in `function` all the same.
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
