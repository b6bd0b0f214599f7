// Responses in the format of OpenAI Responses, made from a request and a behaviour, and the refusals of a provider that takes its format
// strictly. Pure: the server is in `fake-upstream.ts`.
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';
import { isObject } from './upstream-responses.ts';

type Json = Record<string, unknown>;

export interface ResponsesRequest {
  model: string;
  stream: boolean;
  maxTokens: number;
  /** Free-form tools by name. */
  textTools: ReadonlySet<string>;
  /** The last item is the result of a tool. */
  hasResults: boolean;
  /** The conversation is to be shortened. */
  isCompaction: boolean;
  /** Whether it may include encrypted thoughts. */
  isEncrypted: boolean;
  inputTokens: number;
}

/** How this provider encrypts its thoughts; it reads no others. */
export function encryptedOf(thoughts: string): string {
  return Buffer.from(`encrypted:${thoughts}`).toString('base64');
}

const fields = new Set(
  (
    'model input instructions include max_output_tokens max_tool_calls metadata parallel_tool_calls prompt_cache_key prompt_cache_retention ' +
    'access_programs prompt_cache_options reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools ' +
    'top_logprobs top_p truncation context_management user client_metadata background previous_response_id conversation prompt'
  ).split(' '),
);

const contentTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_file'],
  system: ['input_text'],
  developer: ['input_text'],
  assistant: ['output_text', 'refusal'],
};

/** What shapes the response, or the refusal. */
export function readResponses(body: unknown): ResponsesRequest | UpstreamError {
  if (!isObject(body)) return refusal('The request body is not valid JSON', null);
  const { model, input, max_output_tokens: limit, tools, include } = body;
  const unknown = Object.keys(body).find((field) => !fields.has(field));
  if (unknown !== undefined) return refusal(`Unknown parameter: '${unknown}'.`, unknown);
  if (typeof model !== 'string') return refusal("Missing required parameter: 'model'.", 'model');
  if (limit !== undefined && limit !== null && (typeof limit !== 'number' || limit < 16))
    return refusal("Invalid 'max_output_tokens': integer below minimum value.", 'max_output_tokens');
  const items: unknown[] = typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : [];
  if (items.length === 0) return refusal("Missing required parameter: 'input'.", 'input');
  const fault = itemsFault(items, /^(?:gpt-\d|o\d)/.test(model)) ?? toolsFault(tools);
  if (fault !== null) return refusal(fault, 'input');
  const last = items.at(-1);
  return {
    model,
    stream: body['stream'] === true,
    maxTokens: typeof limit === 'number' ? limit : Infinity,
    textTools: new Set(allTools(tools).flatMap((tool) => (tool['type'] === 'custom' ? [String(tool['name'])] : []))),
    hasResults: isObject(last) && typeof last['type'] === 'string' && last['type'].endsWith('_output'),
    isCompaction: isObject(last) && last['type'] === 'compaction_trigger',
    isEncrypted: Array.isArray(include) && include.includes('reasoning.encrypted_content'),
    inputTokens: Math.ceil(JSON.stringify([items, body['instructions'], tools]).length / 4),
  };
}

function itemsFault(items: readonly unknown[], isOpenais: boolean): string | null {
  const open = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) return `Invalid type for 'input[${index}]'.`;
    const { type = 'message', call_id: id, content, role, encrypted_content: encrypted } = item;
    if (type === 'function_call' || type === 'custom_tool_call') {
      const written = type === 'function_call' ? item['arguments'] : item['input'];
      if (typeof id !== 'string' || id.length > 64 || typeof written !== 'string') return `Invalid 'input[${index}]'.`;
      open.add(id);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      if (!open.delete(id)) return `No tool call found for function call output with call_id ${String(id)}.`;
    } else if (type === 'reasoning') {
      if (!Array.isArray(item['summary'])) return `Missing required parameter: 'input[${index}].summary'.`;
      // Other hosts than OpenAI read thoughts as they are.
      if (encrypted === undefined && !isOpenais && Array.isArray(content)) continue;
      if (typeof encrypted !== 'string' || !Buffer.from(encrypted, 'base64').toString().startsWith('encrypted:'))
        return 'The encrypted content could not be verified.';
    } else if (type === 'compaction') {
      if (typeof encrypted !== 'string' || !Buffer.from(encrypted, 'base64').toString().startsWith('encrypted:'))
        return 'The encrypted content could not be verified.';
    } else if (type === 'compaction_trigger') {
      if (index < items.length - 1) return `Invalid 'input[${index}]': it must be the last item.`;
    } else if (type === 'message') {
      const allowed = contentTypes[String(role)];
      if (allowed === undefined) return `Invalid value: '${String(role)}' in 'input[${index}].role'.`;
      const parts = Array.isArray(content) ? content : [];
      if (typeof content !== 'string' && parts.length === 0 && role !== 'assistant') return `Invalid 'input[${index}].content'.`;
      const wrong = parts.find((part) => !isObject(part) || !allowed.includes(String(part['type'])));
      if (wrong !== undefined) return `Invalid value in 'input[${index}].content'.`;
    } else return `Invalid value: '${String(type)}' in 'input[${index}].type'.`;
  }
  return open.size === 0 ? null : `No tool output found for function call ${[...open].join(', ')}.`;
}

const otherTools = new Set(['programmatic_tool_calling', 'custom', 'web_search', 'namespace', 'tool_search']);

function toolsFault(tools: unknown): string | null {
  const wrong = allTools(tools).find(({ type, name, parameters }) => {
    if (type === 'function') return typeof name !== 'string' || !isObject(parameters);
    return !otherTools.has(String(type));
  });
  return wrong === undefined ? null : `Invalid tool: ${JSON.stringify(wrong)}`;
}

function allTools(tools: unknown): Json[] {
  return (Array.isArray(tools) ? tools : []).filter(isObject);
}

function refusal(message: string, param: string | null): UpstreamError {
  return { message, type: 'invalid_request_error', param, code: null };
}

function piecesOf({ maxTokens }: { maxTokens: number }, behaviour: Behaviour): string[] {
  const text = behaviour.text ?? 'The tide comes in and the tide goes out.';
  return [...(behaviour.pieces ?? text.match(/\s*\S+/gu) ?? [])].slice(0, maxTokens);
}

function callsTools(request: ResponsesRequest, behaviour: Behaviour): boolean {
  return behaviour.toolCalls !== undefined && !request.hasResults;
}

function reasonOf(request: ResponsesRequest, behaviour: Behaviour): string | null {
  if (behaviour.finishReason !== undefined) return behaviour.finishReason;
  if (callsTools(request, behaviour)) return null;
  return piecesOf(request, behaviour).length < piecesOf({ maxTokens: Infinity }, behaviour).length ? 'max_output_tokens' : null;
}

function usageOf(request: ResponsesRequest, behaviour: Behaviour): unknown {
  if (behaviour.usage !== undefined) return behaviour.usage === 'none' ? null : behaviour.usage;
  const thoughts = wordsOf(behaviour.reasoning ?? '').length;
  const written = callsTools(request, behaviour) ? 17 : (behaviour.repeat?.times ?? piecesOf(request, behaviour).length);
  return {
    input_tokens: request.inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: written + thoughts,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: request.inputTokens + written + thoughts,
  };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+/gu) ?? [];
}

function shellOf(request: ResponsesRequest, behaviour: Behaviour, id: string): Json {
  return {
    id,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: behaviour.model ?? request.model,
    output: [],
    usage: null,
    store: false,
    access_programs: null,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    instructions: null,
    metadata: {},
    temperature: 1,
    top_p: 1,
  };
}

export function responseOf(request: ResponsesRequest, behaviour: Behaviour, id: string): Json {
  const events = [...responseEvents(request, behaviour, id)];
  const last = events.at(-1)?.['response'];
  return isObject(last) ? last : {};
}

/** Every event of a stream. */
export function* responseEvents(request: ResponsesRequest, behaviour: Behaviour, id: string): Generator<Json & { type: string }> {
  let sequence = 0;
  const event = (type: string, rest: Json) => ({ type, sequence_number: sequence++, ...rest });
  const shell = shellOf(request, behaviour, id);
  const output: Json[] = [];
  yield event('response.created', { response: shell });
  yield event('response.in_progress', { response: shell });
  const { reasoning } = behaviour;
  if (reasoning !== undefined) {
    const place = { item_id: `rs_${id}`, output_index: output.length };
    const item = { id: place.item_id, type: 'reasoning', summary: [] };
    yield event('response.output_item.added', { output_index: place.output_index, item });
    const part = { type: 'summary_text', text: reasoning };
    yield event('response.reasoning_summary_part.added', { ...place, summary_index: 0, part: { ...part, text: '' } });
    for (const delta of wordsOf(reasoning)) yield event('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta });
    yield event('response.reasoning_summary_text.done', { ...place, summary_index: 0, text: reasoning });
    yield event('response.reasoning_summary_part.done', { ...place, summary_index: 0, part });
    output.push({ ...item, summary: [part], ...(request.isEncrypted ? { encrypted_content: encryptedOf(reasoning) } : {}) });
    yield event('response.output_item.done', { output_index: place.output_index, item: output.at(-1) });
  }
  const reason = reasonOf(request, behaviour);
  const status = reason === null ? 'completed' : 'incomplete';
  if (request.isCompaction) {
    const item = { id: `cmp_${id}`, type: 'compaction', encrypted_content: encryptedOf(behaviour.text ?? 'summary') };
    yield event('response.output_item.added', { output_index: 0, item });
    output.push(item);
    yield event('response.output_item.done', { output_index: 0, item });
  } else if (callsTools(request, behaviour)) {
    for (const [index, call] of (behaviour.toolCalls ?? []).entries()) {
      const isText = request.textTools.has(call.name);
      const name = isText ? 'custom_tool_call_input' : 'function_call_arguments';
      const field = isText ? 'input' : 'arguments';
      const place = { item_id: `${isText ? 'ctc' : 'fc'}_${id}${index}`, output_index: output.length };
      const called = { call_id: call.id ?? `call_${id.slice(-20)}${index}`, name: call.name };
      const item = {
        id: place.item_id,
        type: isText ? 'custom_tool_call' : 'function_call',
        status: 'in_progress',
        ...called,
        [field]: '',
      };
      yield event('response.output_item.added', { output_index: place.output_index, item });
      for (const delta of call.arguments.match(/[\s\S]{1,7}/gu) ?? []) yield event(`response.${name}.delta`, { ...place, delta });
      yield event(`response.${name}.done`, { ...place, [field]: call.arguments });
      output.push({ ...item, status: 'completed', [field]: call.arguments });
      yield event('response.output_item.done', { output_index: place.output_index, item: output.at(-1) });
    }
  } else {
    const place = { item_id: `msg_${id}`, output_index: output.length, content_index: 0 };
    const item = { id: place.item_id, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    yield event('response.output_item.added', { output_index: place.output_index, item });
    yield event('response.content_part.added', { ...place, part });
    let text = '';
    const { repeat } = behaviour;
    for (let sent = 0; repeat !== undefined && sent < repeat.times; sent += 1)
      yield event('response.output_text.delta', { ...place, delta: repeat.text, logprobs: [] });
    for (const delta of repeat === undefined ? piecesOf(request, behaviour) : []) {
      text += delta;
      yield event('response.output_text.delta', { ...place, delta, logprobs: [] });
    }
    yield event('response.output_text.done', { ...place, text, logprobs: [] });
    yield event('response.content_part.done', { ...place, part: { ...part, text } });
    output.push({ ...item, status, content: [{ ...part, text }] });
    yield event('response.output_item.done', { output_index: place.output_index, item: output.at(-1) });
  }
  const incomplete_details = reason === null ? null : { reason };
  const completed_at = reason === null ? 1_790_000_001 : null;
  const { serviceTier = 'none' } = behaviour;
  const tier = serviceTier === 'none' ? {} : { service_tier: serviceTier };
  const response = { ...shell, ...tier, status, completed_at, incomplete_details, output, usage: usageOf(request, behaviour) };
  yield event(`response.${status}`, { response });
}
