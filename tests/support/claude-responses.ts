// Responses in the format of Claude Messages, made from a request and a behaviour, and the refusals of a provider that takes
// its format strictly. Pure: the server is in `fake-upstream.ts`.
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';
import { isObject } from './upstream-responses.ts';

type Json = Record<string, unknown>;

export interface MessagesRequest {
  model: string;
  stream: boolean;
  maxTokens: number;
  isThinking: boolean;
  hidesThoughts: boolean;
  /** The last turn holds results of tools. */
  hasResults: boolean;
  inputTokens: number;
}

/** The signature that this provider gives its thoughts, and takes back with no others. */
export function signatureOf(thinking: string): string {
  return Buffer.from(`signed:${thinking}`).toString('base64');
}

/** What shapes the response, or the refusal. */
/** @param betas of the header; some fields are known only with one */
export function readMessages(body: unknown, betas = ''): MessagesRequest | UpstreamError {
  if (!isObject(body)) return refusal('The request body is not valid JSON');
  const { model, max_tokens: maxTokens, messages, thinking } = body;
  const unknown = Object.keys(body).find((field) => !fields.has(field) && (betas === '' || !betaFields.has(field)));
  if (unknown !== undefined) return refusal(`${unknown}: Extra inputs are not permitted`);
  if (typeof model !== 'string') return refusal('model: Field required');
  if (typeof maxTokens !== 'number') return refusal('max_tokens: Field required');
  if (!Array.isArray(messages) || messages.length === 0) return refusal('messages: at least one message is required');
  const isThinking = isObject(thinking) && thinking['type'] !== 'disabled';
  const fault = turnFault(messages, (blocks) => thoughtFault(blocks, { model, isOff: isObject(thinking) && !isThinking }));
  if (fault !== null) return refusal(fault);
  const thinkingFault = isThinking ? faultOfThinking(body) : null;
  if (thinkingFault !== null) return refusal(thinkingFault);
  if (typeof body['temperature'] === 'number' && body['temperature'] > 1) return refusal('temperature: range: 0..1');
  const last: unknown = messages.at(-1);
  return {
    model,
    stream: body['stream'] === true,
    maxTokens,
    isThinking,
    hidesThoughts: isThinking && isObject(thinking) && hidesThoughts(model, thinking['display']),
    hasResults: isObject(last) && blocksOf(last).some(({ type }) => type === 'tool_result'),
    inputTokens: Math.ceil(JSON.stringify([messages, body['system'], body['tools']]).length / 4),
  };
}

/** Newer models hide thoughts by default: the signature is sent, the text is not. */
function hidesThoughts(model: string, display: unknown): boolean {
  return display === undefined && /claude-opus-4-[7-9]|claude-[a-z]+-[5-9]/.test(model);
}

const betaFields = new Set(['context_management', 'safeguards']);

const fields = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'output_config',
  'service_tier',
  'speed',
  'cache_control',
  'container',
]);

/** A vendor that has taken over the format signs nothing, and wants thoughts back with calls. https://api-docs.deepseek.com/guides/thinking_mode */
function thoughtFault(blocks: readonly Json[], { model, isOff }: { model: string; isOff: boolean }): string | null {
  const thoughts = blocks.filter(({ type }) => type === 'thinking');
  if (!/deepseek|kimi|glm|minimax|qwen/i.test(model)) {
    const isUnsigned = thoughts.some((block) => block['signature'] !== signatureOf(String(block['thinking'])));
    return isUnsigned ? 'Invalid `signature` in `thinking` block' : null;
  }
  const calls = blocks.some(({ type }) => type === 'tool_use');
  if (isOff || !calls || !/deepseek|kimi/i.test(model)) return null;
  if (thoughts.length === 0) return 'The `content[].thinking` in the thinking mode must be passed back to the API.';
  const isMissing = /kimi/i.test(model) && thoughts.every((block) => block['thinking'] === '');
  return isMissing ? 'thinking is enabled but reasoning_content is missing in assistant tool call message' : null;
}

function turnFault(messages: readonly unknown[], faultOf: (blocks: readonly Json[]) => string | null): string | null {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant'))
      return `messages.${index}.role: Input should be 'user' or 'assistant'`;
    if (index === 0 && message['role'] !== 'user') return 'messages: first message must use the "user" role';
    const blocks = blocksOf(message);
    if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`;
    if (blocks.some(({ type, text }) => type === 'text' && text === '')) return 'messages: text content blocks must be non-empty';
    const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block['tool_use_id']] : []));
    if (open.some((id) => !answered.includes(id)) || answered.some((id) => !open.includes(String(id))))
      return `messages.${index}: \`tool_use\` ids and \`tool_result\` blocks do not match`;
    const fault = message['role'] === 'assistant' ? faultOf(blocks) : null;
    if (fault !== null) return `messages.${index}: ${fault}`;
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [String(block['id'])] : []));
  }
  return open.length === 0 ? null : 'messages: `tool_use` ids were found without `tool_result` blocks';
}

function faultOfThinking(body: Json): string | null {
  const { thinking, tool_choice: choice, max_tokens: maxTokens } = body;
  const budget = isObject(thinking) ? thinking['budget_tokens'] : undefined;
  if (typeof budget === 'number' && budget < 1024) return 'thinking.budget_tokens: Input should be at least 1024';
  if (typeof budget === 'number' && typeof maxTokens === 'number' && budget >= maxTokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`';
  if (body['temperature'] !== undefined && body['temperature'] !== 1) return '`temperature` may only be set to 1 when thinking is enabled';
  if (isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool'))
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  return null;
}

function blocksOf(message: Json): (Json & { type?: unknown; text?: unknown })[] {
  const { content } = message;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function refusal(message: string): UpstreamError {
  return { message, type: 'invalid_request_error' };
}

/** The error body of this format. */
export function claudeError(error: UpstreamError): Json {
  return { type: 'error', error: { type: error.type, message: error.message }, request_id: 'req_fake' };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function claudeErrorFor(status: number): UpstreamError {
  const type = errorTypes[status] ?? 'api_error';
  const message = status === 401 ? 'invalid x-api-key' : status === 529 ? 'Overloaded' : `fake ${type}`;
  return { message, type };
}

function callsTools(request: MessagesRequest, behaviour: Behaviour): boolean {
  return behaviour.toolCalls !== undefined && !request.hasResults;
}

function piecesOf(request: MessagesRequest, behaviour: Behaviour): string[] {
  const text = behaviour.text ?? 'The tide comes in and the tide goes out.';
  return [...(behaviour.pieces ?? text.match(/\s*\S+/gu) ?? [])].slice(0, request.maxTokens);
}

function stopReason(request: MessagesRequest, behaviour: Behaviour): string {
  if (behaviour.finishReason !== undefined) return behaviour.finishReason;
  if (callsTools(request, behaviour)) return 'tool_use';
  return piecesOf(request, behaviour).length < piecesOf({ ...request, maxTokens: Infinity }, behaviour).length ? 'max_tokens' : 'end_turn';
}

function usageOf(request: MessagesRequest, behaviour: Behaviour): Json {
  if (isObject(behaviour.usage)) return behaviour.usage;
  const thoughts = behaviour.reasoning?.match(/\s*\S+/gu)?.length ?? 0;
  const output = callsTools(request, behaviour) ? 17 : (behaviour.repeat?.times ?? piecesOf(request, behaviour).length);
  return {
    input_tokens: request.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output + thoughts,
  };
}

export function messageOf(request: MessagesRequest, behaviour: Behaviour, id: string): Json {
  const content: Json[] = [];
  const thinking = thoughtsOf(request, behaviour);
  if (thinking !== undefined) content.push({ type: 'thinking', thinking, signature: signatureOf(thinking) });
  if (callsTools(request, behaviour)) {
    for (const call of callsOf(behaviour, id)) content.push({ ...call, input: JSON.parse(call.json), json: undefined });
  } else content.push({ type: 'text', text: piecesOf(request, behaviour).join('') });
  const ending = { stop_reason: stopReason(request, behaviour), ...containerOf(behaviour) };
  const message = { ...shellOf(request, behaviour, id), content, ...ending };
  return behaviour.usage === 'none' ? message : { ...message, usage: usageOf(request, behaviour) };
}

function thoughtsOf({ hidesThoughts: areHidden }: MessagesRequest, { reasoning }: Behaviour): string | undefined {
  return reasoning !== undefined && areHidden ? '' : reasoning;
}

function callsOf(behaviour: Behaviour, id: string) {
  return (behaviour.toolCalls ?? []).map((call, index) => ({
    type: 'tool_use',
    id: call.id ?? `toolu_${id.slice(-20)}${index}`,
    name: call.name,
    json: call.arguments,
  }));
}

function shellOf(request: MessagesRequest, behaviour: Behaviour, id: string): Json {
  return { id, type: 'message', role: 'assistant', model: behaviour.model ?? request.model, stop_sequence: null };
}

function containerOf({ container }: Behaviour): Json {
  return container === undefined ? {} : { container: { id: container, expires_at: '2026-12-01T00:00:00Z', skills: null } };
}

/** Every event of a stream, `message_stop` included. */
export function* messageEvents(request: MessagesRequest, behaviour: Behaviour, id: string): Generator<Json & { type: string }> {
  const usage = behaviour.usage === 'none' ? undefined : usageOf(request, behaviour);
  const message = { ...shellOf(request, behaviour, id), content: [], stop_reason: null };
  yield { type: 'message_start', message: { ...message, ...(usage === undefined ? {} : { usage: { ...usage, output_tokens: 1 } }) } };
  let index = 0;
  const thinking = thoughtsOf(request, behaviour);
  if (thinking !== undefined) {
    yield { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } };
    for (const piece of thinking.match(/\s*\S+/gu) ?? []) yield deltaOf(index, { type: 'thinking_delta', thinking: piece });
    yield deltaOf(index, { type: 'signature_delta', signature: signatureOf(thinking) });
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  yield { type: 'ping' };
  if (callsTools(request, behaviour)) {
    for (const { json, ...call } of callsOf(behaviour, id)) {
      yield { type: 'content_block_start', index, content_block: { ...call, input: {} } };
      for (const part of json.match(/[\s\S]{1,7}/g) ?? []) yield deltaOf(index, { type: 'input_json_delta', partial_json: part });
      yield { type: 'content_block_stop', index };
      index += 1;
    }
  } else {
    yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
    const { repeat } = behaviour;
    if (repeat === undefined) for (const text of piecesOf(request, behaviour)) yield deltaOf(index, { type: 'text_delta', text });
    else for (let sent = 0; sent < repeat.times; sent += 1) yield deltaOf(index, { type: 'text_delta', text: repeat.text });
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason: stopReason(request, behaviour), stop_sequence: null, ...containerOf(behaviour) };
  const { output_tokens, iterations } = usage ?? {};
  const last = { output_tokens, ...(iterations === undefined ? {} : { iterations }) };
  yield { type: 'message_delta', delta, ...(usage === undefined ? {} : { usage: last }) };
  yield { type: 'message_stop' };
}

function deltaOf(index: number, delta: Json): Json & { type: string } {
  return { type: 'content_block_delta', index, delta };
}
