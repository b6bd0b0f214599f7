// Reads and writes blocks of hosted tools. https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
import type { HostedKind } from '#shared/hosted-tools.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { HostedCallPart, HostedResultPart, WebSource } from '../parts.ts';

const origin = 'claude';

/** Kind of a hosted tool, by the prefix of its name or of its result's type. */
const kinds: readonly (readonly [beginning: string, kind: HostedKind])[] = [
  ['web_search', 'web_search'],
  ['web_fetch', 'web_fetch'],
  ['code_execution', 'code_execution'],
  ['bash_code_execution', 'code_execution'],
  ['text_editor_code_execution', 'code_execution'],
  ['tool_search_tool', 'tool_search'],
  ['mcp_tool', 'mcp'],
];

export function hostedKindOf(name: string): HostedKind {
  return kinds.find(([beginning]) => name.startsWith(beginning))?.[1] ?? 'other';
}

/** Reads a block of a hosted tool; null for other blocks. */
export function readHostedBlock(block: Readonly<JsonObject>): HostedCallPart | HostedResultPart | null {
  const type = textOf(block.type);
  if (type === 'server_tool_use' || type === 'mcp_tool_use') {
    const kind = type === 'mcp_tool_use' ? 'mcp' : hostedKindOf(textOf(block.name));
    return { type: 'hosted_call', id: textOf(block.id), kind, origin, object: block, input: isObject(block.input) ? block.input : {} };
  }
  // Results of the caller's tools have the type `tool_result`.
  if (!type.endsWith('_tool_result')) return null;
  const content = isObject(block.content) ? block.content : {};
  const output = [content.stdout, content.stderr].map(textOf).filter((text) => text !== '');
  return {
    type: 'hosted_result',
    callId: textOf(block.tool_use_id),
    kind: hostedKindOf(type.startsWith('mcp') ? 'mcp_tool' : type),
    origin,
    object: block,
    sources: sourcesIn(block.content),
    ...(output.length === 0 && typeof content.stdout !== 'string' ? {} : { output: output.join('\n') }),
    isError: textOf(content.type).endsWith('_error') || block.is_error === true,
  };
}

/** Writes a hosted tool call; null if the format has no such tool. */
export function writeHostedCall(part: HostedCallPart): JsonObject | null {
  if (part.origin === origin) return { ...part.object };
  const input = inputOf(part);
  return input === null ? null : { type: 'server_tool_use', id: idOf(part.id), name: part.kind, input, caller };
}

export function writeHostedResult(part: HostedResultPart): JsonObject | null {
  if (part.origin === origin) return { ...part.object };
  const tool_use_id = idOf(part.callId);
  if (part.kind === 'web_search') {
    // Only the vendor's models can read `encrypted_content`.
    const found = part.sources.map(({ url, title = url }) => ({
      type: 'web_search_result',
      url,
      title,
      encrypted_content: '',
      page_age: null,
    }));
    const failed = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
    return { type: 'web_search_tool_result', tool_use_id, content: part.isError ? failed : found, caller };
  }
  if (part.kind !== 'code_execution') return null;
  const printed = part.output ?? '';
  const streams = part.isError ? { stdout: '', stderr: printed, return_code: 1 } : { stdout: printed, stderr: '', return_code: 0 };
  return { type: 'code_execution_tool_result', tool_use_id, content: { type: 'code_execution_result', ...streams, content: [] }, caller };
}

const caller = { type: 'direct' };
const prefix = 'srvtoolu_';

/** SDKs recognize hosted calls by their id prefix. */
function idOf(id: string): string {
  return id.startsWith(prefix) ? id : `${prefix}${id.replace(/[^a-zA-Z0-9_]/g, '_')}`;
}

function inputOf({ kind, input }: HostedCallPart): JsonObject | null {
  if (kind === 'web_search') return { query: textOf(input['query']) };
  return kind === 'code_execution' ? { code: textOf(input['code']) } : null;
}

function sourcesIn(content: unknown): WebSource[] {
  return (Array.isArray(content) ? content : []).flatMap((found: unknown): WebSource[] => {
    if (!isObject(found) || textOf(found.url) === '') return [];
    const title = textOf(found.title);
    return [{ url: textOf(found.url), ...(title === '' ? {} : { title }) }];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
