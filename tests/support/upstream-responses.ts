// Answers in the OpenAI wire format, made from a request and a behaviour. Pure: the server is in `fake-upstream.ts`.
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';

export interface ChatRequest {
  model: string;
  messages: { role?: string; content?: unknown }[];
  stream: boolean;
  includeUsage: boolean;
  choices: number;
  maxTokens: number | undefined;
}

export interface EmbeddingRequest {
  model: string;
  inputs: unknown[];
  format: 'float' | 'base64';
  dimensions: number;
}

const fingerprint = 'fp_62a23a81ef';
const created = 1_795_000_000;
const fullDimensions = 1536;

/** The fields of a chat request that shape the answer, or the error that a provider would give. */
export function readChat(body: unknown): ChatRequest | UpstreamError {
  if (!isObject(body)) return badRequest('We could not parse the JSON body of your request.', null);
  if (typeof body['model'] !== 'string') return badRequest('you must provide a model parameter', 'model');
  const messages = body['messages'];
  if (!Array.isArray(messages)) return badRequest("Missing required parameter: 'messages'.", 'messages');
  if (messages.length === 0) return badRequest("Invalid 'messages': empty array.", 'messages');
  const stream = body['stream'] === true;
  const options = body['stream_options'];
  if (options !== undefined && options !== null && !stream) {
    return badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  return {
    model: body['model'],
    messages: messages.map((message: unknown) => (isObject(message) ? message : {})),
    stream,
    includeUsage: isObject(options) && options['include_usage'] === true,
    choices: typeof body['n'] === 'number' ? body['n'] : 1,
    maxTokens: typeof limit === 'number' ? limit : undefined,
  };
}

export function readEmbedding(body: unknown): EmbeddingRequest | UpstreamError {
  if (!isObject(body) || typeof body['model'] !== 'string') return badRequest('you must provide a model parameter', 'model');
  const input = body['input'];
  const isTokenList = Array.isArray(input) && input.length > 0 && input.every((item) => typeof item === 'number');
  const inputs: unknown[] = Array.isArray(input) && !isTokenList ? input : [input];
  if (input === undefined || input === '' || inputs.length === 0) return badRequest("'input' cannot be empty.", 'input');
  return {
    model: body['model'],
    inputs,
    format: body['encoding_format'] === 'base64' ? 'base64' : 'float',
    dimensions: typeof body['dimensions'] === 'number' ? body['dimensions'] : fullDimensions,
  };
}

export function isRefusal(request: object): request is UpstreamError {
  return 'message' in request;
}

/** The pieces that the answer's text is streamed in, cut at the caller's limit: one piece counts as one token. */
export function piecesOf(request: ChatRequest, behaviour: Behaviour): string[] {
  const text = behaviour.text ?? 'The tide comes in and the tide goes out.';
  const pieces = behaviour.pieces ?? text.match(/\s*\S+/gu) ?? [];
  return pieces.slice(0, request.maxTokens);
}

/** Tool calls are answered until the conversation holds their results. */
export function callsTools(request: ChatRequest, behaviour: Behaviour): boolean {
  return behaviour.toolCalls !== undefined && request.messages.at(-1)?.role !== 'tool';
}

export function chatCompletion(request: ChatRequest, behaviour: Behaviour, id: string): object {
  const tools = callsTools(request, behaviour);
  const pieces = behaviour.repeat === undefined ? piecesOf(request, behaviour) : [behaviour.repeat.text.repeat(behaviour.repeat.times)];
  const message = {
    role: 'assistant',
    content: tools ? null : pieces.join(''),
    ...(behaviour.reasoning === undefined ? {} : { reasoning_content: behaviour.reasoning }),
    ...(tools ? { tool_calls: toolCallsOf(behaviour, id) } : {}),
    refusal: null,
    annotations: [],
  };
  return {
    ...frame('chat.completion', request, behaviour, id),
    choices: Array.from({ length: request.choices }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: finishReason(request, behaviour),
    })),
    ...usageField(request, behaviour),
    ...(behaviour.serviceTier === 'none' ? {} : { service_tier: behaviour.serviceTier ?? 'default' }),
  };
}

/** Every event of a streamed answer but `[DONE]`; the first carries the role only. */
export function* chatChunks(request: ChatRequest, behaviour: Behaviour, id: string): Generator<object> {
  const wantsUsage = request.includeUsage || behaviour.alwaysUsage === true;
  const usageIn = behaviour.usageIn ?? 'own event';
  const usage = usageField(request, behaviour);
  const { serviceTier = 'none' } = behaviour;
  const tier = serviceTier === 'none' ? {} : { service_tier: serviceTier };
  const shell = { ...frame('chat.completion.chunk', request, behaviour, id), ...tier };
  const everywhere = !wantsUsage ? {} : usageIn === 'every event' ? usage : usageIn === 'own event' ? { usage: null } : {};
  const chunk = (delta: object, index: number, finish: string | null = null) => ({
    ...shell,
    choices: [{ index, delta, logprobs: null, finish_reason: finish }],
    ...everywhere,
  });
  for (let index = 0; index < request.choices; index += 1) {
    yield chunk({ role: 'assistant', content: callsTools(request, behaviour) ? null : '', refusal: null }, index);
    for (const delta of deltasOf(request, behaviour, id)) yield chunk(delta, index);
    const last = chunk({}, index, finishReason(request, behaviour));
    yield wantsUsage && usageIn === 'finish event' ? { ...last, ...usage } : last;
  }
  if (wantsUsage && usageIn === 'own event' && 'usage' in usage) yield { ...shell, choices: [], ...usage };
}

function* deltasOf(request: ChatRequest, behaviour: Behaviour, id: string): Generator<object> {
  for (const piece of behaviour.reasoning?.match(/\s*\S+/gu) ?? []) yield { reasoning_content: piece };
  if (callsTools(request, behaviour)) {
    for (const [index, call] of toolCallsOf(behaviour, id).entries()) {
      yield { tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } }] };
      for (const part of call.function.arguments.match(/[\s\S]{1,7}/g) ?? []) {
        yield { tool_calls: [{ index, function: { arguments: part } }] };
      }
    }
    return;
  }
  if (behaviour.repeat === undefined) {
    for (const content of piecesOf(request, behaviour)) yield { content };
    return;
  }
  for (let index = 0; index < behaviour.repeat.times; index += 1) yield { content: behaviour.repeat.text };
}

export function embeddingList(request: EmbeddingRequest, behaviour: Behaviour): object {
  const dimensions = behaviour.ignores?.includes('dimensions') === true ? fullDimensions : request.dimensions;
  const format = behaviour.ignores?.includes('encoding_format') === true ? 'float' : request.format;
  const tokens = request.inputs.reduce((sum: number, input) => sum + tokensOf(input), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return {
    object: 'list',
    data: request.inputs.map((input, index) => {
      const vector = embeddingOf(input, dimensions);
      return { object: 'embedding', index, embedding: format === 'float' ? vector : toBase64(vector) };
    }),
    model: behaviour.model ?? request.model,
    ...(behaviour.usage === 'none' ? {} : { usage: behaviour.usage ?? usage }),
  };
}

/** The vector that the fake upstream gives for an input: of length 1, the same on every call, exact in single precision. */
export function embeddingOf(input: unknown, dimensions: number): number[] {
  const next = seededRandom([...JSON.stringify(input)].reduce((hash, char) => (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0, 7));
  const vector = Array.from({ length: dimensions }, () => next() * 2 - 1);
  const norm = Math.hypot(...vector);
  return vector.map((value) => Math.fround(value / norm));
}

/** Numbers in [0, 1) that are the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const errorsByStatus: Record<number, UpstreamError> = {
  400: { message: "Invalid value for 'temperature'.", type: 'invalid_request_error', param: 'temperature', code: 'invalid_value' },
  401: {
    message: 'Incorrect API key provided: sk-up******key. You can find your API key at https://platform.openai.com/account/api-keys.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_api_key',
  },
  403: {
    message: 'Country, region, or territory not supported',
    type: 'request_forbidden',
    param: null,
    code: 'unsupported_country_region_territory',
  },
  404: {
    message: 'The model `gpt-none` does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  },
  429: {
    message: 'Rate limit reached for gpt-4o-mini in organization org-x on requests per min (RPM): Limit 500, Used 500, Requested 1.',
    type: 'requests',
    param: null,
    code: 'rate_limit_exceeded',
  },
};

/** The error object that belongs to a status. */
export function errorFor(status: number): UpstreamError {
  return (
    errorsByStatus[status] ?? {
      message: 'The server had an error while processing your request. Sorry about that!',
      type: 'server_error',
      param: null,
      code: null,
    }
  );
}

export function modelObject(id: string): object {
  return { id, object: 'model', created: 1_715_367_049, owned_by: 'system' };
}

function frame(object: string, request: ChatRequest, behaviour: Behaviour, id: string): object {
  return { id, object, created, model: behaviour.model ?? request.model, system_fingerprint: fingerprint };
}

function toolCallsOf(behaviour: Behaviour, id: string) {
  return (behaviour.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${id.slice(-20)}${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
}

function finishReason(request: ChatRequest, behaviour: Behaviour): string {
  if (behaviour.finishReason !== undefined) return behaviour.finishReason;
  if (callsTools(request, behaviour)) return 'tool_calls';
  const whole = piecesOf({ ...request, maxTokens: undefined }, behaviour).length;
  return request.maxTokens !== undefined && request.maxTokens < whole ? 'length' : 'stop';
}

function usageField(request: ChatRequest, behaviour: Behaviour): { usage?: unknown } {
  if (behaviour.usage === 'none') return {};
  if (behaviour.usage !== undefined) return { usage: behaviour.usage };
  const prompt = request.messages.reduce((sum, message) => sum + 3 + tokensOf(message.content), 3);
  const answer = callsTools(request, behaviour) ? 17 : (behaviour.repeat?.times ?? piecesOf(request, behaviour).length);
  const reasoning = behaviour.reasoning?.match(/\s*\S+/gu)?.length ?? 0;
  const completion = answer * request.choices + reasoning;
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  };
}

/** Not a tokenizer: a number that grows with the input and is easy to foresee, four characters a token. */
function tokensOf(input: unknown): number {
  if (Array.isArray(input) && input.every((item) => typeof item === 'number')) return input.length;
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  return Math.ceil(text.length / 4);
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

function badRequest(message: string, param: string | null): UpstreamError {
  return { message, type: 'invalid_request_error', param, code: param === null ? null : 'missing_required_parameter' };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
