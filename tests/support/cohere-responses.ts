// Cohere's chat in terms of OpenAI's: requests are taken strictly and become such, responses are made from such. Pure: the server is in
// `fake-cohere.ts`.
import { demand, hasOnly, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

/** What a request is as a chat completion request, or why it is refused. */
export function chatOf(body: Json): ReadRequest {
  return readStrictly(() => requestedBy(body));
}

const numbers: readonly (readonly [name: string, least: number, most: number])[] = [
  ['temperature', 0, 1],
  ['p', 0.01, 0.99],
  ['k', 0, 500],
  ['frequency_penalty', 0, 1],
  ['presence_penalty', 0, 1],
  ['max_tokens', 1, Infinity],
];
const fields = [
  'model',
  'stream',
  'messages',
  'tools',
  'tool_choice',
  'response_format',
  'safety_mode',
  'stop_sequences',
  'seed',
  'thinking',
  'citation_options',
  ...numbers.map(([name]) => name),
];

function requestedBy(body: Json): Json {
  demand(hasOnly(body, fields), 'invalid request: unknown field');
  const { model, stream, messages, tools, tool_choice: choice, response_format: format, thinking } = body;
  demand(typeof model === 'string' && typeof stream === 'boolean', 'invalid request: model is required');
  demand(Array.isArray(messages) && messages.length > 0, 'invalid request: messages is required');
  for (const [name, least, most] of numbers) {
    const value = body[name];
    demand(
      value === undefined || (typeof value === 'number' && value >= least && value <= most),
      `invalid request: ${name} is out of range`,
    );
  }
  demand(choice === undefined || ((choice === 'REQUIRED' || choice === 'NONE') && tools !== undefined), 'invalid request: tool_choice');
  demand(format === undefined || (isObject(format) && format['type'] === 'json_object'), 'invalid request: response_format');
  demand(thinking === undefined || /reasoning/.test(model), 'invalid request: thinking is not supported by this model');
  if (isObject(thinking)) demand(['enabled', 'disabled'].includes(String(thinking['type'])), 'invalid request: thinking.type');
  const { max_tokens: limit, temperature } = body;
  return {
    model,
    stream,
    messages: messages.map(messageOf),
    ...(limit === undefined ? {} : { max_tokens: limit }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools === undefined ? {} : { tools: toolsOf(tools) }),
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  };
}

function messageOf(message: unknown): Json {
  demand(isObject(message), 'invalid request: message');
  const { role, content, tool_calls: calls, tool_plan: plan, tool_call_id: id } = message;
  demand(hasOnly(message, ['role', 'content', 'tool_calls', 'tool_plan', 'tool_call_id']), 'invalid request: unknown field of a message');
  demand(['system', 'user', 'assistant', 'tool'].includes(String(role)), 'invalid request: role');
  demand((id === undefined) === (role !== 'tool'), 'invalid request: tool_call_id');
  demand(plan === undefined || calls !== undefined, 'invalid request: tool_plan without tool_calls');
  demand(content !== undefined || calls !== undefined, 'invalid request: content is required');
  for (const call of Array.isArray(calls) ? calls : []) {
    const { name, arguments: text } = Object(Object(call).function);
    demand(typeof Object(call).id === 'string' && typeof name === 'string', 'invalid request: tool_calls');
    demand(typeof text === 'string' && isObject(JSON.parse(text)), 'invalid request: arguments');
  }
  return { role, content: Array.isArray(content) ? content.map(blockOf).join('') : (content ?? null) };
}

function blockOf(block: unknown): string {
  const { type, text, thinking, image_url: image } = Object(block);
  if (type === 'image_url') {
    demand(typeof Object(image).url === 'string', 'invalid request: image_url');
    return '';
  }
  demand(
    (type === 'text' && typeof text === 'string') || (type === 'thinking' && typeof thinking === 'string'),
    'invalid request: content',
  );
  return text ?? '';
}

function toolsOf(tools: unknown): unknown[] {
  demand(Array.isArray(tools) && tools.length > 0, 'invalid request: tools');
  for (const tool of tools) {
    const { name, parameters } = Object(Object(tool).function);
    demand(typeof name === 'string' && isObject(parameters) && parameters['type'] === 'object', 'invalid request: tools');
  }
  return tools;
}

const reasons: Readonly<Record<string, string>> = { stop: 'COMPLETE', length: 'MAX_TOKENS', tool_calls: 'TOOL_CALL' };

function reasonOf(reason: unknown): string {
  return reasons[String(reason)] ?? 'COMPLETE';
}

function usageOf(usage: unknown): Json {
  if (!isObject(usage)) return {};
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return {
    usage: { billed_units: { input_tokens: input, output_tokens: output }, tokens: { input_tokens: input, output_tokens: output } },
  };
}

/** A chat completion in this format. */
export function cohereOf({ id, choices, usage }: Json): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message = {}, finish_reason: reason } = Object(choice);
  const { content: text, reasoning_content: thinking, tool_calls: calls } = Object(message);
  const content = [
    ...(typeof thinking === 'string' ? [{ type: 'thinking', thinking }] : []),
    ...(typeof text === 'string' ? [{ type: 'text', text }] : []),
  ];
  return {
    id,
    finish_reason: reasonOf(reason),
    message: { role: 'assistant', content, ...(calls === undefined ? {} : { tool_calls: calls, tool_plan: 'I look it up.' }) },
    ...usageOf(usage),
  };
}

/** Chunks of a chat completion become events, each by itself. */
export function cohereEvents(): (chunk: Json) => (Json & { type: string })[] {
  let hasBegun = false;
  let block: string | null = null;
  let call = -1;
  let reason: unknown = null;
  return ({ id, choices, usage }) => {
    const events: (Json & { type: string })[] = [];
    const add = (type: string, index: number, message?: Json) =>
      events.push({ type, index, ...(message === undefined ? {} : { delta: { message } }) });
    if (!hasBegun)
      events.push({ type: 'message-start', id, delta: { message: { role: 'assistant', content: [], tool_calls: [], citations: [] } } });
    hasBegun = true;
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta = {}, finish_reason: finish } = Object(choice);
    const { content: text, reasoning_content: thinking, tool_calls: pieces } = Object(delta);
    const say = (type: 'text' | 'thinking', words: string) => {
      if (block !== null && block !== type) add('content-end', 0);
      if (block !== type) add('content-start', 0, { content: { type, [type]: '' } });
      block = type;
      add('content-delta', 0, { content: { [type]: words } });
    };
    if (typeof thinking === 'string') say('thinking', thinking);
    if (typeof text === 'string' && text !== '') say('text', text);
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      if (piece.index !== call) {
        if (call >= 0) add('tool-call-end', call);
        call = piece.index;
        add('tool-call-start', call, { tool_calls: { id: piece.id, type: 'function', function: piece.function } });
      } else add('tool-call-delta', call, { tool_calls: { function: piece.function } });
    }
    if (typeof finish === 'string') {
      reason = finish;
      if (call >= 0) add('tool-call-end', call);
      if (block !== null) add('content-end', 0);
    }
    // The usage comes last.
    if (isObject(usage)) events.push({ type: 'message-end', delta: { finish_reason: reasonOf(reason), ...usageOf(usage) } });
    return events;
  };
}
