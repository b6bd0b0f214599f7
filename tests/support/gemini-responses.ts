// Responses in Gemini's format, made from a request and a behaviour, and the refusals of a provider that takes its format strictly.
// Pure: the server is in `fake-upstream.ts`.
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';
import { embeddingOf, isObject } from './upstream-responses.ts';

type Json = Record<string, unknown>;

export interface GeminiRequest {
  model: string;
  stream: boolean;
  maxTokens: number;
  candidates: number;
  /** The last turn holds results of tools. */
  hasResults: boolean;
  promptTokens: number;
}

/** The signature that this provider gives a call, and takes back with no other. */
export function signatureOfCall(id: string): string {
  return Buffer.from(`signed:${id}`).toString('base64');
}

const fields = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
  'serviceTier',
]);
const configFields = new Set([
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'thinkingConfig',
]);
const partFields = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
]);

/** What shapes the response, or the refusal. */
export function readGemini(path: string, body: unknown): GeminiRequest | UpstreamError {
  const [, model = '', verb = ''] = /\/models\/([^?]*):(\w+)(?:\?|$)/.exec(path) ?? [];
  if (verb !== 'generateContent' && verb !== 'streamGenerateContent') return refusal(`unknown verb ${verb}`);
  const stream = verb === 'streamGenerateContent';
  if (stream && !path.endsWith('?alt=sse')) return refusal('only events are streamed here');
  if (!isObject(body)) return refusal('Invalid JSON payload received.');
  const config = body['generationConfig'] ?? {};
  if (!isObject(config)) return refusal('Invalid value at generation_config');
  const unknown = Object.keys(body).find((field) => !fields.has(field)) ?? Object.keys(config).find((field) => !configFields.has(field));
  if (unknown !== undefined) return refusal(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
  const { contents } = body;
  if (!Array.isArray(contents) || contents.length === 0) return refusal('* GenerateContentRequest.contents: contents is not specified');
  const fault = faultOf(contents, model);
  if (fault !== null) return refusal(fault);
  const maxTokens = config['maxOutputTokens'];
  const last = partsOf(contents.at(-1));
  return {
    model,
    stream,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : Infinity,
    candidates: typeof config['candidateCount'] === 'number' ? config['candidateCount'] : 1,
    hasResults: last.some(({ functionResponse }) => functionResponse !== undefined),
    promptTokens: Math.ceil(JSON.stringify([contents, body['systemInstruction'], body['tools']]).length / 4),
  };
}

function faultOf(contents: readonly unknown[], model: string): string | null {
  let open: Json[] = [];
  for (const [index, content] of contents.entries()) {
    const role = isObject(content) ? content['role'] : undefined;
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    const parts = partsOf(content);
    if (parts.length === 0) return `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`;
    const unknown = parts.flatMap((part) => Object.keys(part)).find((field) => !partFields.has(field));
    if (unknown !== undefined) return `Unknown name "${unknown}" at 'contents[${index}].parts[0]': Cannot find field.`;
    const results = parts.flatMap(({ functionResponse }) => (isObject(functionResponse) ? [functionResponse] : []));
    if (open.length > 0 && results.length !== open.length)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    if (results.some(({ name }) => !open.some((call) => call['name'] === name))) return 'A function response names no function call.';
    if (results.some(({ response }) => !isObject(response))) return 'A function response must be an object.';
    open = parts.flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []));
  }
  if (open.length > 0) return 'Please ensure that function call turn comes immediately before a function response turn.';
  return model.startsWith('gemini-3') ? faultOfSignatures(contents) : null;
}

/** The first call of each step since the user spoke must be signed: those of this provider as it signed them. */
function faultOfSignatures(contents: readonly unknown[]): string | null {
  const isSpoken = (content: unknown) =>
    isObject(content) && content['role'] === 'user' && partsOf(content).some((part) => part['functionResponse'] === undefined);
  const running = contents.slice(contents.findLastIndex(isSpoken) + 1);
  for (const content of running) {
    const first = partsOf(content).find(({ functionCall }) => isObject(functionCall));
    if (first === undefined || !isObject(first['functionCall'])) continue;
    // Who leaves the id out, as older packages do, sends its signature back all the same.
    if (first['functionCall']['id'] === undefined && isOwnSignature(first['thoughtSignature'])) continue;
    const id = String(first['functionCall']['id']);
    // Its own ids it knows; a call with another one may come from another model, and says so.
    const allowed = [signatureOfCall(id), ...(id.startsWith('g_') ? [] : ['skip_thought_signature_validator'])];
    if (!allowed.includes(String(first['thoughtSignature'])))
      return `Function call ${id} is missing a thought_signature in functionCall parts.`;
  }
  return null;
}

function isOwnSignature(signature: unknown): boolean {
  return typeof signature === 'string' && Buffer.from(signature, 'base64').toString().startsWith('signed:');
}

function partsOf(content: unknown): Json[] {
  return isObject(content) && Array.isArray(content['parts']) ? content['parts'].filter(isObject) : [];
}

function refusal(message: string): UpstreamError {
  return { message, type: 'INVALID_ARGUMENT' };
}

/** The error body of this format. */
export function geminiError(error: UpstreamError, status: number): Json {
  const details = error.metadata === undefined ? {} : { details: [error.metadata] };
  return { error: { code: status, message: error.message, status: error.type, ...details } };
}

const errorNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

export function geminiErrorFor(status: number): UpstreamError {
  const type = errorNames[status] ?? 'INTERNAL';
  return { message: `fake ${type}`, type };
}

export function geminiModel(name: string): Json {
  return { name: `models/${name}`, supportedGenerationMethods: name.includes('embedding') ? ['embedContent'] : ['generateContent'] };
}

function words(text: string): string[] {
  return text.match(/\s*\S+/gu) ?? [];
}

function piecesOf({ maxTokens }: GeminiRequest, behaviour: Behaviour): string[] {
  const text = behaviour.text ?? 'The tide comes in and the tide goes out.';
  return [...(behaviour.pieces ?? words(text))].slice(0, maxTokens);
}

function callsTools(request: GeminiRequest, behaviour: Behaviour): boolean {
  return behaviour.toolCalls !== undefined && !request.hasResults;
}

function finishOf(request: GeminiRequest, behaviour: Behaviour): string {
  if (behaviour.finishReason !== undefined) return behaviour.finishReason;
  if (callsTools(request, behaviour)) return 'STOP';
  return piecesOf(request, behaviour).length < piecesOf({ ...request, maxTokens: Infinity }, behaviour).length ? 'MAX_TOKENS' : 'STOP';
}

function usageOf(request: GeminiRequest, behaviour: Behaviour): Json {
  if (isObject(behaviour.usage)) return behaviour.usage;
  const thoughts = words(behaviour.reasoning ?? '').length;
  const written = callsTools(request, behaviour) ? 17 : (behaviour.repeat?.times ?? piecesOf(request, behaviour).length);
  return {
    promptTokenCount: request.promptTokens,
    candidatesTokenCount: written,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: request.promptTokens + written + thoughts,
  };
}

/** Only the first call of a step is signed. */
function callParts(behaviour: Behaviour, responseId: string): Json[] {
  return (behaviour.toolCalls ?? []).map((call, index) => {
    const id = call.id ?? `g_${responseId}${index}`;
    const functionCall = { id, name: call.name, args: JSON.parse(call.arguments) };
    return index === 0 ? { functionCall, thoughtSignature: signatureOfCall(id) } : { functionCall };
  });
}

export function geminiResponse(request: GeminiRequest, behaviour: Behaviour, responseId: string): Json {
  if (behaviour.blockReason !== undefined) return blockedPrompt(request, behaviour, responseId);
  const parts: Json[] = behaviour.reasoning === undefined ? [] : [{ text: behaviour.reasoning, thought: true }];
  if (callsTools(request, behaviour)) parts.push(...callParts(behaviour, responseId));
  else parts.push({ text: piecesOf(request, behaviour).join('') });
  const candidates = Array.from({ length: request.candidates }, (_, index) => ({
    content: { parts, role: 'model' },
    finishReason: finishOf(request, behaviour),
    index,
  }));
  const usage = behaviour.usage === 'none' ? {} : { usageMetadata: usageOf(request, behaviour) };
  return { candidates, ...usage, modelVersion: behaviour.model ?? request.model, responseId };
}

function blockedPrompt({ promptTokens, model }: GeminiRequest, { blockReason }: Behaviour, responseId: string): Json {
  const safetyRatings = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }];
  const usageMetadata = { promptTokenCount: promptTokens, totalTokenCount: promptTokens };
  return { promptFeedback: { blockReason, safetyRatings }, usageMetadata, modelVersion: model, responseId };
}

/** Every event of a stream; the first one has an empty text. */
export function* geminiEvents(request: GeminiRequest, behaviour: Behaviour, responseId: string): Generator<Json> {
  if (behaviour.blockReason !== undefined) return yield blockedPrompt(request, behaviour, responseId);
  const head = { modelVersion: behaviour.model ?? request.model, responseId };
  const event = (parts: Json[], rest: Json = {}, reported: Json = {}) => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...rest }],
    ...reported,
    ...head,
  });
  const { promptTokens: promptTokenCount } = request;
  const reportedWith = (written: number): Json => {
    if (behaviour.usageIn !== 'every event') return {};
    return { usageMetadata: { promptTokenCount, candidatesTokenCount: written, totalTokenCount: promptTokenCount + written } };
  };
  yield { ...event([{ text: '' }]), usageMetadata: { promptTokenCount: request.promptTokens, totalTokenCount: request.promptTokens } };
  for (const text of words(behaviour.reasoning ?? '')) yield event([{ text, thought: true }]);
  if (callsTools(request, behaviour)) for (const part of callParts(behaviour, responseId)) yield event([part]);
  else if (behaviour.repeat === undefined)
    for (const [index, text] of piecesOf(request, behaviour).entries()) yield event([{ text }], {}, reportedWith(index + 1));
  else for (let sent = 0; sent < behaviour.repeat.times; sent += 1) yield event([{ text: behaviour.repeat.text }]);
  const usage = behaviour.usage === 'none' ? {} : { usageMetadata: usageOf(request, behaviour) };
  yield { ...event([{ text: '' }], { finishReason: finishOf(request, behaviour) }), ...usage };
}

/** What is answered to `embedContent` and `batchEmbedContents`, which take nothing but texts. */
export function readGeminiEmbedding(path: string, body: unknown): object | UpstreamError {
  if (!isObject(body)) return refusal('Invalid JSON payload received.');
  const model = /\/models\/([^?]*):/.exec(path)?.[1];
  const isBatch = path.includes(':batch');
  const requests = isBatch ? body['requests'] : [{ model: `models/${model}`, ...body }];
  if (!Array.isArray(requests) || requests.length === 0) return refusal('* BatchEmbedContentsRequest.requests: is not specified');
  const vectors = requests.map((request: unknown) => {
    if (!isObject(request) || request['model'] !== `models/${model}`) return null;
    const unknown = Object.keys(request).find((field) => !['model', 'content', 'outputDimensionality'].includes(field));
    const texts = partsOf(request['content']).map(({ text }) => text);
    const length = request['outputDimensionality'] ?? 3072;
    if (unknown !== undefined || texts.length === 0 || !texts.every((text) => typeof text === 'string')) return null;
    return typeof length === 'number' ? { values: embeddingOf(texts.join(''), length) } : null;
  });
  if (!vectors.every((vector) => vector !== null)) return refusal('Invalid JSON payload received. Unknown name in a request.');
  return isBatch ? { embeddings: vectors } : { embedding: vectors[0] };
}
