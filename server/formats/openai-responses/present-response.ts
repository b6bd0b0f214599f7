// Builds the response object, which repeats request fields.
import { isObject } from '#server/framing/loose-json.ts';
import { isCompaction } from './compaction.ts';
import type { ResponseWriterOptions } from '../client-dialect.ts';

type Json = Record<string, unknown>;

/** Request fields that a response repeats, with their defaults. */
const repeated: readonly (readonly [name: string, otherwise: unknown])[] = [
  ['instructions', null],
  ['max_output_tokens', null],
  ['max_tool_calls', null],
  ['metadata', {}],
  ['parallel_tool_calls', true],
  ['prompt_cache_key', null],
  ['prompt_cache_retention', null],
  ['safety_identifier', null],
  ['temperature', 1],
  ['tool_choice', 'auto'],
  ['top_logprobs', 0],
  ['top_p', 1],
  ['truncation', 'disabled'],
];

const requestedFields: readonly string[] = [...repeated.map(([name]) => name), 'reasoning', 'text', 'tools', 'user'];

/**
 * Returns the request fields from which the response is written. `loaded_tools`: tools in input items; `is_compaction`:
 * whether a summary is requested.
 */
export function responseFields(body: Readonly<Json>): Readonly<Json> {
  const fields: Json = {};
  for (const name of requestedFields) if (body[name] !== undefined) fields[name] = body[name];
  const items: unknown[] = Array.isArray(body.input) ? body.input : [];
  const loaded = items.flatMap((item): unknown[] => {
    if (!isObject(item) || (item.type !== 'additional_tools' && item.type !== 'tool_search_output')) return [];
    return Array.isArray(item.tools) ? item.tools : [];
  });
  if (isCompaction(body)) fields['is_compaction'] = true;
  return loaded.length === 0 ? fields : { ...fields, loaded_tools: loaded };
}

export interface ResponseHead {
  id: string;
  model: string;
  createdAt: number;
}

/** Returns the response without output. Fields of stored state have the values of a response that is not stored. */
export function responseShell({ id, model, createdAt }: ResponseHead, requested: ResponseWriterOptions['requested'] = {}): Json {
  const shell: Json = {
    id,
    object: 'response',
    created_at: createdAt,
    completed_at: null,
    status: 'in_progress',
    access_programs: null,
    background: false,
    conversation: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    model,
    output: [],
    presence_penalty: 0,
    previous_response_id: null,
    prompt: null,
    reasoning: { effort: null, summary: null, ...asObject(requested.reasoning) },
    service_tier: 'default',
    store: false,
    text: { format: { type: 'text' }, verbosity: 'medium', ...asObject(requested.text) },
    tools: Array.isArray(requested.tools) ? requested.tools.map(completeTool) : [],
    usage: null,
  };
  for (const [name, otherwise] of repeated) shell[name] = requested[name] ?? otherwise;
  if (typeof requested.user === 'string') shell.user = requested.user;
  return shell;
}

/** Completes a function: in a response it has its optional fields too. */
function completeTool(tool: unknown): unknown {
  return isObject(tool) && tool.type === 'function' ? { parameters: null, strict: null, ...tool } : tool;
}

function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}
