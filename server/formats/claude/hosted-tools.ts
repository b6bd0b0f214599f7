// Hosted tools of Messages requests. https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
import type { HostedKind } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type HostedAccess, placesInTools, withoutTools } from '../hosted-tools.ts';
import { hostedKindOf } from './hosted-blocks.ts';

type Body = Readonly<Record<string, unknown>>;

/** Types of tools that the caller runs: custom and Anthropic-defined ones. */
const ofCaller = /^(?:custom|bash|text_editor|memory|computer|browser)(?:_|$)/;

export function kindOfTool({ type }: Body): HostedKind | null {
  if (typeof type !== 'string' || ofCaller.test(type)) return null;
  return type.startsWith('mcp_') ? 'mcp' : hostedKindOf(type);
}

export const hosted: HostedAccess = {
  find(body) {
    const { tools, tool_choice: choice } = body;
    const named = isObject(choice) && choice.type === 'tool' ? choice.name : undefined;
    const list: unknown[] = Array.isArray(tools) ? tools : [];
    const areAllHosted = list.every((tool) => isObject(tool) && kindOfTool(tool) !== null);
    const isAnyForced = isObject(choice) && choice.type === 'any' && areAllHosted;
    return placesInTools(tools, { kindOf: kindOfTool, isForced: (tool) => isAnyForced || (named !== undefined && tool['name'] === named) });
  },
  without: withoutTools,
  bound(body, most) {
    if (!Array.isArray(body['tools'])) return body;
    let isSame = true;
    const tools = body['tools'].map((tool: unknown) => {
      const kind = isObject(tool) ? kindOfTool(tool) : null;
      const limit = kind !== null && bounded.has(kind) ? most[kind] : undefined;
      if (limit === undefined || !isObject(tool) || typeof tool.max_uses === 'number') return tool;
      isSame = false;
      return { ...tool, max_uses: limit };
    });
    return isSame ? body : { ...body, tools };
  },
};

/** Kinds of tools that accept `max_uses`. */
const bounded: ReadonlySet<HostedKind> = new Set<HostedKind>(['web_search', 'web_fetch']);
