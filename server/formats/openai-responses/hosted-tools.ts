// Hosted tools of Responses requests. https://platform.openai.com/docs/guides/tools
import type { HostedKind } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { entriesOf, type HostedAccess, placesInTools, withoutTools } from '../hosted-tools.ts';

type Body = Readonly<Record<string, unknown>>;

const kinds: readonly (readonly [beginning: string, kind: HostedKind])[] = [
  ['web_search', 'web_search'],
  ['file_search', 'file_search'],
  ['code_interpreter', 'code_execution'],
  ['image_generation', 'image_generation'],
  ['mcp', 'mcp'],
  ['tool_search', 'tool_search'],
];
const ofCaller: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', 'local_shell', 'apply_patch']);

/** Tool whose code, written by the model, calls the caller's tools; only its tokens are billed. */
export const programTool = 'programmatic_tool_calling';

export function kindOfTool({ type, execution, environment }: Body): HostedKind | null {
  if (typeof type !== 'string' || ofCaller.has(type) || type === programTool || type.startsWith('computer')) return null;
  if (type === 'tool_search' && execution === 'client') return null;
  // A shell runs at the caller unless its environment is a container of the provider.
  if (type === 'shell') return isObject(environment) && String(environment.type).startsWith('container') ? 'code_execution' : null;
  return kinds.find(([beginning]) => type.startsWith(beginning))?.[1] ?? 'other';
}

const itemsWithTools: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

export const hosted: HostedAccess = {
  find(body) {
    const { tools, tool_choice: choice, input, max_tool_calls: most } = body;
    const list: unknown[] = Array.isArray(tools) ? tools : [];
    const areAllHosted = list.every((tool) => isObject(tool) && kindOfTool(tool) !== null);
    const isAnyForced = choice === 'required' && areAllHosted;
    const named = isObject(choice) ? choice.type : undefined;
    const isForced = (tool: Body) => isAnyForced || (named !== undefined && tool['type'] === named);
    const places = placesInTools(tools, { kindOf: kindOfTool, isForced });
    for (const [index, item] of (Array.isArray(input) ? input : []).entries()) {
      if (!isObject(item) || !itemsWithTools.has(item.type)) continue;
      places.push(...placesInTools(item.tools, { path: `input.${index}.tools`, kindOf: kindOfTool, isForced }));
    }
    return typeof most === 'number' ? places.map((place) => ({ ...place, most })) : places;
  },
  without(body, names) {
    const left = withoutTools(body, names);
    if (!Array.isArray(body['input']) || ![...names].some((name) => name.startsWith('input.'))) return left;
    const input = body['input'].map((item: unknown, index) => {
      if (!isObject(item) || !Array.isArray(item.tools) || !itemsWithTools.has(item.type)) return item;
      return { ...item, tools: item.tools.filter((_tool, at) => !names.has(`input.${index}.tools.${at}`)) };
    });
    return { ...left, input };
  },
  // https://developers.openai.com/api/docs/pricing: $10 for 1,000 of `web_search`, $25 of the earlier tool with non-reasoning models.
  variants(body) {
    const isPreview = toolsIn(body).some((tool) => isObject(tool) && String(tool.type).startsWith('web_search_preview'));
    return isPreview ? { web_search: ['preview'] } : {};
  },
  bound(body, most) {
    if (typeof body['max_tool_calls'] === 'number') return body;
    const kindsIn = new Set(hosted.find(body).map(({ kind }) => kind));
    const calls = entriesOf(most).filter(([kind]) => kindsIn.has(kind));
    return calls.length === 0 ? body : { ...body, max_tool_calls: Math.max(...calls.map(([, count]) => count)) };
  },
};

/** Returns the tools of `tools` and of input items. */
function toolsIn({ tools, input }: Body): unknown[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const brought = list(input).flatMap((item) => (isObject(item) && itemsWithTools.has(item.type) ? list(item.tools) : []));
  return [...list(tools), ...brought];
}
