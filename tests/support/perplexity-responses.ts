// Perplexity's Agent API: its requests, taken strictly, as chat completion requests of the fake upstream, whose answers become its own. Pure: the server
// is in `fake-perplexity.ts`. https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/how-to, https://docs.perplexity.ai/api-reference/agent-post
import { demand, hasOnly, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const fields = (
  'input instructions language_preference max_output_tokens max_steps max_tool_calls model models parallel_tool_calls preset previous_response_id ' +
  'reasoning response_format store stream temperature tool_choice tools top_p'
).split(' ');
const efforts: ReadonlySet<unknown> = new Set(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
const presets: ReadonlySet<unknown> = new Set([
  'fast',
  'low',
  'medium',
  'high',
  'xhigh',
  'wide-research',
  'fast-search',
  'pro-search',
  'deep-research',
  'advanced-deep-research',
]);
const filters = (
  'search_domain_filter search_recency_filter search_after_date_filter search_before_date_filter last_updated_after_filter ' +
  'last_updated_before_filter'
).split(' ');
const searchMembers = 'type search_context_size search_type max_results max_tokens max_tokens_per_page filters user_location'.split(' ');
const places = 'latitude longitude country region city'.split(' ');

/** Pages that every search finds. */
export const pages = [
  { id: 1, url: 'https://tides.example/brest', title: 'Tides at Brest', snippet: 'High water at noon.', date: '2026-11-01', source: 'web' },
  { id: 2, url: 'https://moon.example/springs', title: 'Springs and neaps', snippet: 'Twice a month.', source: 'web' },
];

/** Whether a request has it search, which its answer shows. */
export function searches({ preset, tools, tool_choice: choice, max_tool_calls: most }: Json): boolean {
  if (most === 0 || choice === 'none') return false;
  return preset !== undefined || (Array.isArray(tools) && tools.some((tool: unknown) => isObject(tool) && tool['type'] === 'web_search'));
}

/** A request in this format as a chat completion request. */
export function agentOf(body: Json): ReadRequest {
  return readStrictly(() => {
    const unknown = Object.keys(body).find((name) => !fields.includes(name));
    demand(unknown === undefined, `invalid request body: json: unknown field "${unknown}"`);
    const { model, preset, input, max_output_tokens: limit, reasoning, response_format: format, tools, stream, store } = body;
    demand(typeof model === 'string' || typeof preset === 'string', 'model or preset is required');
    demand(model === undefined || (typeof model === 'string' && model.includes('/')), `invalid model ${JSON.stringify(model)}`);
    demand(preset === undefined || presets.has(preset), `invalid preset ${JSON.stringify(preset)}`);
    demand(
      !String(model).startsWith('anthropic/') || limit !== undefined,
      'validation failed: max_output_tokens is required when using Anthropic models',
    );
    demand(limit === undefined || Number(limit) >= 1, 'validation failed: max_output_tokens');
    demand(store === false, 'The response would be kept');
    demand(reasoning === undefined || (isObject(reasoning) && efforts.has(reasoning['effort'])), 'validation failed: reasoning');
    demand(format === undefined || isFormat(format), 'validation failed: response_format');
    const list = Array.isArray(tools) ? tools : [];
    for (const tool of list) checkTool(tool);
    demand(tools === undefined || list.length > 0, 'validation failed: tools');
    demand(Array.isArray(input) && input.length > 0, 'validation failed: input');
    const functions = list.filter((tool) => tool.type === 'function').map(({ type, ...called }) => ({ type, function: called }));
    return {
      model: String(model ?? preset),
      messages: input.flatMap(messagesOf),
      ...(limit === undefined ? {} : { max_tokens: limit }),
      ...(functions.length === 0 ? {} : { tools: functions }),
      ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
    };
  });
}

function isFormat(format: unknown): boolean {
  if (!isObject(format) || format['type'] !== 'json_schema' || !hasOnly(format, ['type', 'json_schema'])) return false;
  const { json_schema: schema } = format;
  return isObject(schema) && hasOnly(schema, ['name', 'schema', 'description', 'strict']) && isObject(schema['schema']);
}

function checkTool(tool: unknown): void {
  demand(isObject(tool), 'validation failed: tools');
  const { type } = tool;
  if (type === 'function') demand(hasOnly(tool, ['type', 'name', 'description', 'parameters', 'strict']), 'unknown field of a function');
  else if (type === 'fetch_url') demand(hasOnly(tool, ['type', 'max_urls']), 'unknown field of fetch_url');
  else {
    demand(type === 'web_search' && hasOnly(tool, searchMembers), `unknown tool or field: ${JSON.stringify(tool)}`);
    const { filters: reported, user_location: location } = tool;
    demand(reported === undefined || (isObject(reported) && hasOnly(reported, filters)), 'unknown field of filters');
    demand(location === undefined || (isObject(location) && hasOnly(location, places)), 'unknown field of user_location');
  }
}

function messagesOf(item: unknown): Json[] {
  demand(isObject(item), 'validation failed: input');
  const { type, role, content, call_id: id, name, arguments: written, output } = item;
  if (type === 'function_call') {
    demand(typeof id === 'string' && typeof written === 'string', 'validation failed: function_call');
    return [{ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: written } }] }];
  }
  if (type === 'function_call_output') {
    demand(typeof output === 'string', 'validation failed: function_call_output');
    return [{ role: 'tool', tool_call_id: id, content: output }];
  }
  demand(type === 'message' && ['user', 'assistant', 'system', 'developer'].includes(String(role)), 'validation failed: input');
  demand(hasOnly(item, ['type', 'role', 'content']), 'unknown field of a message');
  if (typeof content === 'string') return [{ role, content }];
  demand(Array.isArray(content) && role === 'user', 'validation failed: content');
  return [{ role, content: content.map(partOf) }];
}

function partOf(part: unknown): Json {
  demand(isObject(part), 'validation failed: content');
  const { type, text, image_url: url, file_data: data, filename } = part;
  if (type === 'input_text') return { type: 'text', text };
  if (type === 'input_image') {
    demand(typeof url === 'string' && hasOnly(part, ['type', 'image_url']), 'unknown field of an image');
    return { type: 'image_url', image_url: { url } };
  }
  demand(type === 'input_file' && hasOnly(part, ['type', 'file_data', 'filename', 'file_url']), 'unknown part');
  return { type: 'file', file: { file_data: data, filename } };
}

function usageOf(usage: unknown, runs: number): Json {
  const { prompt_tokens: input = 0, completion_tokens: output = 0, cost } = Object(usage);
  const ran = runs === 0 ? {} : { tool_calls_details: { search_web: { invocation: runs, cost_usd: 0.0025 * runs } } };
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, ...ran, ...(cost === undefined ? {} : { cost }) };
}

interface Answer {
  id: unknown;
  isSearch: boolean;
}

function responseOf({ id }: Answer, more: Json): Json {
  // The model and the tier of a preset are those of the model behind it.
  return { id, object: 'response', created_at: 1_789_990_399, model: 'openai/gpt-6-luna', service_tier: 'priority', error: null, ...more };
}

function found(): Json {
  return { type: 'search_results', queries: ['tides at Brest'], results: pages };
}

function message(text: string): Json {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function statusOf(reason: unknown): Json {
  return reason === 'length' ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } : { status: 'completed' };
}

/** A chat completion in this format. @param mark what stands behind the text */
export function wholeOf({ id, choices, usage }: Json, { isSearch, mark }: { isSearch: boolean; mark: string }): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message: said = {}, finish_reason: reason } = Object(choice);
  const { content: text, tool_calls: calls } = Object(said);
  const output = [
    ...(isSearch ? [found()] : []),
    ...(typeof text === 'string' && text !== '' ? [message(`${text}${mark}`)] : []),
    ...(Array.isArray(calls) ? calls.map(({ id: call, function: called }) => callItem(call, called.name, called.arguments)) : []),
  ];
  return responseOf({ id, isSearch }, { ...statusOf(reason), output, usage: usageOf(usage, isSearch ? 1 : 0) });
}

function callItem(id: unknown, name: unknown, written: unknown): Json {
  return { type: 'function_call', id: 'fc_1', call_id: id, name, arguments: written, status: 'completed' };
}

/** Chunks of a chat completion become events. As at the provider parts of a message do not begin, and a search begins as a call of a function. */
export function agentEvents({ isSearch, mark }: { isSearch: boolean; mark: string }): (chunk: Json) => Json[] {
  let sequence = 0;
  let place = 0;
  let text = '';
  let isOpen = false;
  let reason: unknown = null;
  const calls: { id: unknown; name: unknown; written: string }[] = [];
  const output: Json[] = [];
  return ({ id, choices, usage }) => {
    const events: Json[] = [];
    const add = (type: string, more: Json) => events.push({ ...more, sequence_number: sequence++, type });
    const item = (kind: 'added' | 'done', one: Json) => add(`response.output_item.${kind}`, { item: one, output_index: place });
    const end = (one: Json) => {
      item('done', one);
      output.push(one);
      place += 1;
    };
    if (sequence === 0) {
      add('response.created', { response: responseOf({ id, isSearch }, { status: 'in_progress', output: [], usage: null }) });
      if (isSearch) {
        item('added', callItem('call_s', 'search_web', '{"queries":["tides at Brest"]}'));
        add('response.reasoning.search_queries', { call_id: 'call_s', queries: ['tides at Brest'], thought: 'Searching the web...' });
        end(found());
      }
    }
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta = {}, finish_reason: finish } = Object(choice);
    const { content, tool_calls: pieces } = Object(delta);
    const say = (words: string) => {
      if (!isOpen) item('added', { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: null });
      isOpen = true;
      text += words;
      add('response.output_text.delta', { content_index: 0, delta: words, item_id: 'msg_1', output_index: place });
    };
    if (typeof content === 'string' && content !== '') say(content);
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      const call = (calls[piece.index] ??= { id: piece.id, name: piece.function?.name, written: '' });
      call.written += piece.function?.arguments ?? '';
    }
    if (typeof finish === 'string') {
      reason = finish;
      if (isOpen) {
        for (const words of mark === '' ? [] : [mark.slice(0, 2), mark.slice(2)]) say(words);
        add('response.output_text.done', { content_index: 0, item_id: 'msg_1', output_index: place, text });
        end(message(text));
      }
      for (const { id: call, name, written } of calls) {
        item('added', callItem(call, name, written));
        end(callItem(call, name, written));
      }
    }
    if (isObject(usage)) {
      const ended = statusOf(reason);
      const name = ended['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed';
      add(name, { response: responseOf({ id, isSearch }, { ...ended, output, usage: usageOf(usage, isSearch ? 1 : 0) }) });
    }
    return events;
  };
}
