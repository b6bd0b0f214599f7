// Ollama's own chat in terms of OpenAI's: requests are taken strictly and become such, responses are made from such. Pure: the server is
// in `fake-ollama.ts`.
import { demand, hasOnly, isBase64, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

/** What a request is as a chat completion request, or why it is refused. */
export function chatOf(body: Json): ReadRequest {
  return readStrictly(() => requestedBy(body));
}

const optionNames = ['temperature', 'top_p', 'top_k', 'seed', 'stop', 'num_predict', 'num_ctx', 'frequency_penalty', 'presence_penalty'];

function requestedBy(body: Json): Json {
  demand(hasOnly(body, ['model', 'messages', 'stream', 'tools', 'format', 'think', 'options', 'keep_alive']), 'unknown field');
  const { model, messages, stream, tools, format, think, options = {} } = body;
  demand(typeof model === 'string' && typeof stream === 'boolean', 'model and stream are required');
  demand(Array.isArray(messages) && messages.length > 0, 'messages are required');
  demand(format === undefined || format === 'json' || isObject(format), 'invalid format');
  demand(isObject(options) && hasOnly(options, optionNames), 'invalid option provided');
  demand(
    think === undefined || typeof think === 'boolean' || model.startsWith('gpt-oss'),
    `think value ${String(think)} is not supported for this model`,
  );
  demand(think !== true || /^(?:qwen3|deepseek-r1|gpt-oss)/.test(model), `"${model}" does not support thinking`);
  const { num_predict: limit, temperature } = options;
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
  demand(isObject(message) && hasOnly(message, ['role', 'content', 'thinking', 'images', 'tool_calls', 'tool_name']), 'unknown field');
  const { role, content, images = [], tool_calls: calls, tool_name: tool } = message;
  demand(['system', 'user', 'assistant', 'tool'].includes(String(role)), 'invalid role');
  demand(typeof content === 'string', 'cannot unmarshal content into a string');
  demand(Array.isArray(images) && images.every((image) => isBase64(image)), 'illegal base64 data');
  demand(tool === undefined || role === 'tool', 'tool_name belongs to results');
  demand(calls === undefined || (Array.isArray(calls) && calls.every(isCall)), 'cannot unmarshal arguments into an object');
  return { role, content };
}

function isCall(call: unknown): boolean {
  const { name, arguments: given } = Object(Object(call).function);
  return typeof name === 'string' && isObject(given);
}

function toolsOf(tools: unknown): unknown[] {
  demand(Array.isArray(tools) && tools.length > 0, 'tools: invalid');
  for (const tool of tools) {
    const { name, parameters } = Object(Object(tool).function);
    demand(typeof name === 'string' && isObject(parameters) && parameters['type'] === 'object', 'parameters: invalid');
  }
  return tools;
}

const createdAt = '2026-11-18T08:40:00.123456Z';

/** A chat completion in this format: one line, and no more of it. */
export function ollamaOf({ model, choices, usage }: Json): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message = {}, finish_reason: reason } = Object(choice);
  const { content, reasoning_content: thinking, tool_calls: calls } = Object(message);
  const said = { role: 'assistant', content: content ?? '', ...(thinking === undefined ? {} : { thinking }) };
  const called = Array.isArray(calls) ? { tool_calls: calls.map((call: unknown) => callOf(Object(call).function)) } : {};
  return { model, created_at: createdAt, message: { ...said, ...called }, ...endOf(reason, usage) };
}

function callOf({ name, arguments: text }: { name?: unknown; arguments?: unknown }): Json {
  return { function: { name, arguments: JSON.parse(String(text)) } };
}

function endOf(reason: unknown, usage: unknown): Json {
  const { prompt_tokens: prompt, completion_tokens: written } = Object(usage);
  return {
    done: true,
    done_reason: reason === 'length' ? 'length' : 'stop',
    total_duration: 123,
    ...(prompt === undefined ? {} : { prompt_eval_count: prompt }),
    ...(written === undefined ? {} : { eval_count: written }),
  };
}

/** Chunks of a chat completion become lines, each by itself; a call is one line with all of its arguments. */
export function ollamaLines(): (chunk: Json) => Json[] {
  const calls: { name: unknown; arguments: string }[] = [];
  let reason: unknown = null;
  return ({ model, choices, usage }) => {
    const frame = { model, created_at: createdAt };
    const line = (message: Json) => ({ ...frame, message: { role: 'assistant', content: '', ...message }, done: false });
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta = {}, finish_reason: finish } = Object(choice);
    const lines: Json[] = [];
    const { content, reasoning_content: thinking, tool_calls: pieces } = Object(delta);
    if (typeof thinking === 'string') lines.push(line({ thinking }));
    if (typeof content === 'string' && content !== '') lines.push(line({ content }));
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      const call = (calls[piece.index] ??= { name: piece.function.name, arguments: '' });
      call.arguments += piece.function.arguments;
    }
    if (typeof finish === 'string') {
      reason = finish;
      if (calls.length > 0) lines.push(line({ tool_calls: calls.map(callOf) }));
    }
    // The usage comes last.
    if (isObject(usage)) lines.push({ ...line({}), ...endOf(reason, usage) });
    return lines;
  };
}
