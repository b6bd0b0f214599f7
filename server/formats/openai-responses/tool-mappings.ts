// Maps tools that only this format has to functions of other formats and back, by name. Read loosely: requests are validated elsewhere.
import { createHash } from 'node:crypto';
import { isObject } from '#server/framing/loose-json.ts';

/** Tool of the caller that a function of another format stands for. */
export interface ToolMapping {
  kind: 'function' | 'text' | 'search';
  name: string;
  namespace?: string;
}

/** Name of a tool search that the caller runs. */
export const searchName = 'tool_search';

/** Maximum characters of a tool name at other vendors. */
const longestName = 64;

/** Returns the name of a tool in other formats. It depends on the tool only, so it is the same in every request. */
export function flatName(name: string, namespace: string | undefined): string {
  if (namespace === undefined) return name;
  const flat = `${namespace}${namespace.endsWith('_') ? '' : '__'}${name}`.replace(/[^a-zA-Z0-9_-]/g, '_');
  return flat.length <= longestName
    ? flat
    : `${flat.slice(0, longestName - 9)}_${createHash('sha256').update(flat).digest('hex').slice(0, 8)}`;
}

/** Mappings by `flatName`; plain functions are omitted. */
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
