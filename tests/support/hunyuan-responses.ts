// Hunyuan in terms of OpenAI's chat: requests are taken strictly and become such, responses are made from such. Pure: the server is in
// `fake-tencent.ts`.
import { demand, hasOnly, type Json, type ReadRequest, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const fields = [
  'Model',
  'Messages',
  'Stream',
  'TopP',
  'Temperature',
  'Tools',
  'ToolChoice',
  'CustomTool',
  'Seed',
  'Stop',
  'EnableThinking',
];

/** What a request is as a chat completion request, or why it is refused. */
export function chatOf(body: Json): ReadRequest {
  return readStrictly(() => requestedBy(body));
}

function requestedBy(body: Json): Json {
  demand(hasOnly(body, fields), 'The parameter is not recognized');
  const { Model: model, Messages: messages, Stream: stream, TopP: topP, Temperature: temperature, Tools: tools, Seed: seed } = body;
  const { ToolChoice: choice, CustomTool: custom, Stop: stop } = body;
  demand(typeof model === 'string' && typeof stream === 'boolean', 'Model and Stream are required');
  demand(Array.isArray(messages) && messages.length > 0, 'Messages are required');
  demand(topP === undefined || within(topP, 0, 1), 'TopP must be in [0.0, 1.0]');
  demand(temperature === undefined || within(temperature, 0, 2), 'Temperature must be in [0.0, 2.0]');
  demand(seed === undefined || (Number.isInteger(seed) && within(seed, 1, 10_000)), 'Seed must be in [1, 10000]');
  demand(stop === undefined || Array.isArray(stop), 'Stop must be a list');
  demand(tools === undefined || (Array.isArray(tools) && tools.length > 0 && tools.every(isTool)), 'Tools are invalid');
  demand(
    choice === undefined || (tools !== undefined && ['none', 'auto', 'custom'].some((word) => word === choice)),
    'ToolChoice is invalid',
  );
  demand((choice === 'custom') === (custom !== undefined && isTool(custom)), 'CustomTool belongs to ToolChoice custom');
  const spoken = Object(messages[0]).Role === 'system' ? messages.slice(1) : messages;
  demandTurns(spoken.map((message) => String(Object(message).Role)));
  return {
    model,
    stream,
    messages: messages.map(messageOf),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  };
}

function within(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

function isTool(tool: unknown): boolean {
  const { Type: type, Function: called } = Object(tool);
  const { Name: name, Parameters: parameters } = Object(called);
  return type === 'function' && typeof name === 'string' && typeof parameters === 'string' && isObject(JSON.parse(parameters));
}

/** Users, or results of tools, take turns with assistants. */
function demandTurns(roles: readonly string[]): void {
  demand(roles[0] === 'user' && roles.at(-1) !== 'assistant', 'Messages must begin with user and end with user or tool');
  for (const [index, role] of roles.entries()) {
    const before = roles[index - 1];
    demand(['user', 'assistant', 'tool'].includes(role), 'Role is invalid');
    if (role === 'assistant') demand(before === 'user' || before === 'tool', 'assistant must follow user or tool');
    if (role === 'user' && index > 0) demand(before === 'assistant', 'user must follow assistant');
    if (role === 'tool') demand(before === 'assistant' || before === 'tool', 'tool must follow assistant or tool');
  }
}

function messageOf(message: unknown): Json {
  demand(isObject(message) && hasOnly(message, ['Role', 'Content', 'Contents', 'ToolCallId', 'ToolCalls']), 'unknown field of a message');
  const { Role: role, Content: content, Contents: contents, ToolCallId: id, ToolCalls: calls } = message;
  demand((content === undefined) !== (contents === undefined), 'Content and Contents exclude each other');
  demand((id !== undefined) === (role === 'tool'), 'ToolCallId belongs to tool');
  if (calls !== undefined) demand(role === 'assistant' && Array.isArray(calls) && calls.every(isCall), 'ToolCalls are invalid');
  if (contents === undefined) {
    demand(typeof content === 'string' && content !== '', 'Content must not be empty');
    return { role, content };
  }
  demand(role === 'user' && Array.isArray(contents) && contents.some((part) => Object(part).Type === 'text'), 'Contents need a text');
  return { role, content: contents.map(textOf).join('') };
}

function textOf(part: unknown): string {
  const { Type: type, Text: text, ImageUrl: image } = Object(part);
  if (type === 'image_url') {
    demand(/^(?:https?:\/\/|data:image\/\w+;base64,)/.test(String(Object(image).Url)), 'ImageUrl is invalid');
    return '';
  }
  demand(type === 'text' && typeof text === 'string' && text !== '', 'Text must not be empty');
  return text;
}

function isCall(call: unknown): boolean {
  const { Id: id, Type: type, Function: called } = Object(call);
  const { Name: name, Arguments: text } = Object(called);
  return typeof id === 'string' && type === 'function' && typeof name === 'string' && isObject(JSON.parse(String(text)));
}

function callOf({ id, index, function: called }: Json): Json {
  const { name, arguments: text } = Object(called);
  return {
    ...(id === undefined ? {} : { Id: id, Type: 'function' }),
    ...(index === undefined ? {} : { Index: index }),
    Function: { ...(name === undefined ? {} : { Name: name }), Arguments: text ?? '' },
  };
}

function saidOf({ role = 'assistant', content, reasoning_content: thought, tool_calls: calls }: Json): Json {
  return {
    Role: role,
    Content: content ?? '',
    ...(typeof thought === 'string' ? { ReasoningContent: thought } : {}),
    ...(Array.isArray(calls) ? { ToolCalls: calls.map(callOf) } : {}),
  };
}

function usageOf(usage: unknown): Json {
  if (!isObject(usage)) return {};
  const { prompt_tokens: prompt, completion_tokens: written, total_tokens: total } = usage;
  return { Usage: { PromptTokens: prompt, CompletionTokens: written, TotalTokens: total } };
}

/** A chat completion in this format. */
export function hunyuanOf({ id, created, choices, usage }: Json): Json {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message = {}, finish_reason: reason } = Object(choice);
  const reported = { Index: 0, FinishReason: reason ?? 'stop', Message: saidOf(message) };
  return { Response: { RequestId: 'rq', Id: id, Created: created, Note: 'n', Choices: [reported], ...usageOf(usage) } };
}

/** Chunks of a chat completion become events; the last one has both why it ends and the usage. */
export function hunyuanEvents(): (chunk: Json) => Json[] {
  let reason: unknown = 'stop';
  return ({ id, created, choices, usage }) => {
    const frame = { Id: id, Created: created, Note: 'n' };
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta = {}, finish_reason: finish } = Object(choice);
    if (typeof finish === 'string') reason = finish;
    const { content, reasoning_content: thought, tool_calls: calls } = Object(delta);
    const says = (typeof content === 'string' && content !== '') || typeof thought === 'string' || Array.isArray(calls);
    if (says) return [{ ...frame, Choices: [{ Index: 0, FinishReason: '', Delta: saidOf(delta) }] }];
    if (!isObject(usage)) return [];
    return [{ ...frame, Choices: [{ Index: 0, FinishReason: reason, Delta: { Role: 'assistant', Content: '' } }], ...usageOf(usage) }];
  };
}
