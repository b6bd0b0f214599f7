// Reads and writes items of hosted tools. One item contains both call and result. https://platform.openai.com/docs/guides/tools
import type { HostedCalls, HostedKind } from '#shared/hosted-tools.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { HostedCallPart, HostedResultPart, WebSource } from '../parts.ts';

const origin = 'openai-responses';

const kinds: ReadonlyMap<string, HostedKind> = new Map(
  Object.entries<HostedKind>({
    web_search_call: 'web_search',
    file_search_call: 'file_search',
    code_interpreter_call: 'code_execution',
    image_generation_call: 'image_generation',
    mcp_call: 'mcp',
    mcp_list_tools: 'mcp',
    mcp_approval_request: 'mcp',
    shell_call: 'other',
    shell_call_output: 'other',
    program: 'other',
  }),
);

export function hostedKindOfItem(type: string): HostedKind | undefined {
  return kinds.get(type);
}

/** Reads an item of a hosted tool; null for other items, including tool searches that the caller runs. */
export function readHostedItem(item: Readonly<JsonObject>): [HostedCallPart, HostedResultPart] | null {
  const kind = kindOf(item);
  if (kind === undefined) return null;
  const id = textOf(item.id);
  const shared = { kind, origin, object: item };
  const output = outputOf(item);
  return [
    { type: 'hosted_call', id, ...shared, input: inputOf(item) },
    {
      type: 'hosted_result',
      callId: id,
      ...shared,
      sources: sourcesOf(item),
      ...(output === undefined ? {} : { output }),
      isError: item.status === 'failed',
    },
  ];
}

function kindOf({ type, call_id: callId }: Readonly<JsonObject>): HostedKind | undefined {
  const name = textOf(type);
  if (name.startsWith('tool_search_')) return textOf(callId) === '' ? 'tool_search' : undefined;
  return kinds.get(name);
}

function inputOf({ action, code, queries, arguments: args }: Readonly<JsonObject>): JsonObject {
  if (isObject(action)) {
    const requested: unknown[] = Array.isArray(action.queries) ? action.queries : [];
    const query = textOf(action.query) || requested.map(textOf).join(' ');
    return query === '' ? { ...action } : { query };
  }
  if (typeof code === 'string') return { code };
  if (Array.isArray(queries)) return { query: queries.map(textOf).join(' ') };
  return typeof args === 'string' ? { arguments: args } : {};
}

function sourcesOf({ action }: Readonly<JsonObject>): WebSource[] {
  const sources: unknown[] = isObject(action) && Array.isArray(action.sources) ? action.sources : [];
  return sources.flatMap((source): WebSource[] => (isObject(source) && textOf(source.url) !== '' ? [{ url: textOf(source.url) }] : []));
}

/** Returns the output of code. */
function outputOf({ outputs, output }: Readonly<JsonObject>): string | undefined {
  if (Array.isArray(outputs)) return outputs.map((one: unknown) => (isObject(one) ? textOf(one.logs) : '')).join('');
  return typeof output === 'string' ? output : undefined;
}

const unbilled: ReadonlySet<unknown> = new Set(['mcp_list_tools', 'shell_call_output', 'program']);

/** Counts billed runs: searches, not opened pages; code once per container. */
export class HostedRuns {
  readonly #calls: Partial<Record<HostedKind, number>> = {};
  readonly #containers = new Set<string>();

  /** Returns the runs so far; null if the item is not a billed run. */
  add(item: Readonly<JsonObject>): HostedCalls | null {
    const kind = kindOf(item);
    if (kind === undefined || kind === 'tool_search' || unbilled.has(item.type)) return null;
    if (kind === 'web_search' && isObject(item.action) && item.action.type !== 'search') return null;
    if (kind === 'code_execution') this.#containers.add(textOf(item.container_id));
    this.#calls[kind] = kind === 'code_execution' ? this.#containers.size : (this.#calls[kind] ?? 0) + 1;
    return { ...this.#calls };
  }
}

/** Writes a hosted tool call and its result; null if the format has no such tool. */
export function writeHostedItem(call: HostedCallPart, result: HostedResultPart | undefined, id: string): JsonObject | null {
  if (call.origin === origin) return { ...call.object };
  const status = result?.isError === true ? 'failed' : 'completed';
  if (call.kind === 'web_search') {
    const query = textOf(call.input['query']);
    const sources = (result?.sources ?? []).map(({ url }) => ({ type: 'url', url }));
    return { id, type: 'web_search_call', status, action: { type: 'search', query, queries: [query], sources } };
  }
  if (call.kind !== 'code_execution') return null;
  const outputs = result?.output === undefined ? null : [{ type: 'logs', logs: result.output }];
  return { id, type: 'code_interpreter_call', status, code: textOf(call.input['code']), container_id: '', outputs };
}

export const hostedPrefixes: Readonly<Partial<Record<HostedKind, string>>> = { web_search: 'ws', code_execution: 'ci' };

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
