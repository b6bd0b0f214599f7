// Hosted tools of `generateContent` requests. https://ai.google.dev/gemini-api/docs/pricing
import type { HostedKind } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { HostedAccess, HostedPlace } from '../hosted-tools.ts';

const kinds: ReadonlyMap<string, HostedKind | null> = new Map(
  Object.entries<HostedKind | null>({
    functionDeclarations: null,
    computerUse: null,
    googleSearch: 'web_search',
    googleSearchRetrieval: 'web_search',
    enterpriseWebSearch: 'web_search',
    codeExecution: 'code_execution',
    urlContext: 'web_fetch',
    fileSearch: 'file_search',
    retrieval: 'file_search',
    googleMaps: 'maps',
    mcpServers: 'mcp',
  }),
);

/** Returns null for tools that the caller runs. Accepts both spellings of members. */
export function kindOfMember(name: string): HostedKind | null {
  const kind = kinds.get(name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()));
  return kind === undefined ? 'other' : kind;
}

export const hosted: HostedAccess = {
  // https://ai.google.dev/gemini-api/docs/google-search: `groundingMetadata` is in the last chunk.
  reportedAtEnd: ['web_search', 'maps'],
  find({ tools }) {
    const places: HostedPlace[] = [];
    for (const [index, tool] of listOf(tools).entries()) {
      for (const name of isObject(tool) ? Object.keys(tool) : []) {
        const kind = kindOfMember(name);
        if (kind !== null) places.push({ kind, name: `tools.${index}.${name}`, isForced: false });
      }
    }
    return places;
  },
  without(body, names) {
    const tools = listOf(body['tools']).flatMap((tool, index): unknown[] => {
      if (!isObject(tool)) return [tool];
      const left = Object.entries(tool).filter(([name]) => !names.has(`tools.${index}.${name}`));
      return left.length === 0 ? [] : [Object.fromEntries(left)];
    });
    const { tools: _tools, ...rest } = body;
    return tools.length === 0 ? rest : { ...rest, tools };
  },
};

/** Reads `tools` as a list: providers accept a single object. */
function listOf(tools: unknown): readonly unknown[] {
  return Array.isArray(tools) ? tools : isObject(tools) ? [tools] : [];
}
