// ERNIE in terms of OpenAI's chat: requests are taken strictly and become such, responses are made from such. Pure: the server is in
// `fake-baidu.ts`.
import { demand, hasOnly, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

/** What a request is as a chat completion request, or why it is refused. */
export function chatOf(body: Json, model: string): ReadRequest {
  return readStrictly(() => requestedBy(body, model));
}

const numbers: readonly (readonly [name: string, least: number, most: number])[] = [
  ['temperature', 0.001, 1],
  ['top_p', 0, 1],
  ['penalty_score', 1, 2],
  ['max_output_tokens', 2, Infinity],
];
const fields = [
  'messages',
  'functions',
  'tool_choice',
  'system',
  'stream',
  'stop',
  'response_format',
  'user_id',
  ...numbers.map(([name]) => name),
];

function requestedBy(body: Json, model: string): Json {
  demand(hasOnly(body, fields), 'unknown field');
  const { messages, functions, tool_choice: choice, system, stream = false, response_format: format } = body;
  demand(Array.isArray(messages) && messages.length % 2 === 1, 'the length of messages must be an odd number');
  for (const [name, least, most] of numbers) {
    const value = body[name];
    demand(value === undefined || (typeof value === 'number' && value >= least && value <= most), `${name} is out of range`);
  }
  demand(format === undefined || format === 'json_object' || format === 'text', 'response_format is invalid');
  demand(
    functions === undefined || (Array.isArray(functions) && functions.length > 0 && functions.every(isFunction)),
    'functions: invalid',
  );
  demand(choice === undefined || functions !== undefined, 'tool_choice without functions');
  const { max_output_tokens: limit, temperature } = body;
  return {
    model,
    stream,
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.map(messageOf)],
    ...(limit === undefined ? {} : { max_tokens: limit }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stream === true ? { stream_options: { include_usage: true } } : {}),
  };
}

/** Those of users and of functions stand at even places. */
function messageOf(message: unknown, index: number): Json {
  demand(isObject(message) && hasOnly(message, ['role', 'content', 'name', 'function_call']), 'unknown field of a message');
  const { role, content, name, function_call: call } = message;
  const roles = index % 2 === 1 ? ['assistant'] : index === 0 ? ['user'] : ['user', 'function'];
  demand(roles.includes(String(role)), `the role of message ${index} is invalid`);
  demand(typeof content === 'string' && content !== '', 'the content of message can not be empty');
  if (role === 'function') demand(typeof name === 'string' && isObject(JSON.parse(content)), 'the content of a function must be JSON');
  if (call !== undefined) {
    const { name: called, arguments: text } = Object(call);
    demand(role === 'assistant' && typeof called === 'string' && isObject(JSON.parse(String(text))), 'function_call: invalid');
  }
  return { role: role === 'function' ? 'tool' : role, content };
}

function isFunction(one: unknown): boolean {
  const { name, description, parameters } = Object(one);
  return typeof name === 'string' && typeof description === 'string' && isObject(parameters) && parameters['type'] === 'object';
}

const reasons: Readonly<Record<string, string>> = { stop: 'normal', length: 'length', tool_calls: 'function_call' };

/** A chat completion in this format, which has one call at the most. */
export function ernieOf({ id, created, choices, usage }: Json): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message = {}, finish_reason: reason } = Object(choice);
  const { content, tool_calls: calls } = Object(message);
  const call = Array.isArray(calls) ? { function_call: { ...calls[0].function } } : {};
  const reported = isObject(usage) ? { usage } : {};
  return {
    id,
    created,
    result: content ?? '',
    is_truncated: false,
    finish_reason: reasons[String(reason)] ?? 'normal',
    ...call,
    ...reported,
  };
}

/** Chunks of a chat completion become frames, each by itself. */
export function ernieFrames(): (chunk: Json) => Json[] {
  let call: { name: string; arguments: string } | null = null;
  let reason: unknown = null;
  return ({ id, created, choices, usage }) => {
    const frames: Json[] = [];
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta = {}, finish_reason: finish } = Object(choice);
    const { content, tool_calls: pieces } = Object(delta);
    if (typeof content === 'string' && content !== '') frames.push({ id, created, is_end: false, is_truncated: false, result: content });
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      if (piece.index > 0) continue;
      call ??= { name: piece.function.name, arguments: '' };
      call.arguments += piece.function.arguments;
    }
    if (typeof finish === 'string') reason = finish;
    // The usage comes last.
    if (isObject(usage)) {
      const called = call === null ? {} : { function_call: call };
      frames.push({ id, created, is_end: true, result: '', finish_reason: reasons[String(reason)] ?? 'normal', ...called, usage });
    }
    return frames;
  };
}
