// Tools of this format that others know only as functions with JSON: under which name they go there, and what a call of that name is
// here. Read loosely: requests are read strictly elsewhere.
import { createHash } from 'node:crypto';
import { isObject } from '#server/framing/loose-json.ts';

/** What a call of a tool is to the caller. */
export interface ToolMapping {
  kind: 'function' | 'text' | 'search';
  name: string;
  namespace?: string;
}

/** The name of a search for tools that its caller carries out. */
export const searchName = 'tool_search';

/** Others take no longer names. */
const longestName = 64;

/** The name outside of this format: the same in every request, whatever other tools there are. */
export function flatName(name: string, namespace: string | undefined): string {
  if (namespace === undefined) return name;
  const flat = `${namespace}${namespace.endsWith('_') ? '' : '__'}${name}`.replace(/[^a-zA-Z0-9_-]/g, '_');
  return flat.length <= longestName
    ? flat
    : `${flat.slice(0, longestName - 9)}_${createHash('sha256').update(flat).digest('hex').slice(0, 8)}`;
}

/** By the names of `flatName`; those that are called by it as functions are left out. */
export function toolMappings(tools: readonly unknown[]): ReadonlyMap<string, ToolMapping> {
  const forms = new Map<string, ToolMapping>();
  for (const tool of tools) if (isObject(tool)) addMapping(forms, tool);
  return forms;
}

function addMapping(forms: Map<string, ToolMapping>, tool: Readonly<Record<string, unknown>>, namespace?: string): void {
  const name = typeof tool.name === 'string' ? tool.name : '';
  const within = namespace === undefined ? {} : { namespace };
  if (tool.type === 'namespace' && Array.isArray(tool.tools)) {
    for (const inner of tool.tools) if (isObject(inner)) addMapping(forms, inner, name);
  } else if (tool.type === 'custom') forms.set(flatName(name, namespace), { kind: 'text', name, ...within });
  else if (tool.type === searchName) forms.set(searchName, { kind: 'search', name: searchName });
  else if (tool.type === 'function' && namespace !== undefined) forms.set(flatName(name, namespace), { kind: 'function', name, namespace });
}
