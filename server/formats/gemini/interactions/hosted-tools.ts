// Hosted tools of Interactions. https://ai.google.dev/gemini-api/docs/interactions#built-in-tools
import type { HostedKind } from '#shared/hosted-tools.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type HostedPlace, placesInTools } from '../../hosted-tools.ts';
import type { Body } from '#server/framing/strict-fields.ts';

const kinds: ReadonlyMap<unknown, HostedKind | null> = new Map<unknown, HostedKind | null>([
  ['function', null],
  ['computer_use', null],
  ['google_search', 'web_search'],
  ['code_execution', 'code_execution'],
  ['url_context', 'web_fetch'],
  ['file_search', 'file_search'],
  ['retrieval', 'file_search'],
  ['google_maps', 'maps'],
  ['mcp_server', 'mcp'],
]);

/** Returns null for tools that the caller runs. */
export function kindOfTool({ type }: Body): HostedKind | null {
  const kind = kinds.get(type);
  return kind === undefined ? 'other' : kind;
}

export function hostedPlaces({ tools }: Body): HostedPlace[] {
  return placesInTools(Array.isArray(tools) ? tools.filter(isObject) : [], { kindOf: kindOfTool, isForced: () => false });
}
