// Reads a chat completion or stream into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { ProviderTraits } from '../provider-traits.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { isDone } from './done-event.ts';
import { endingParts } from '../finish-reasons.ts';
import { readChoiceEnding } from './finish-reason.ts';
import { errorOf } from './response-errors.ts';
import { PlainDeltas } from './plain-deltas.ts';
import { ToolCalls } from './tool-calls.ts';
import { argumentsOfText } from '../text-tools.ts';
import { readLogprobs } from '../token-logprobs.ts';
import { readSignatureField, sealOfDetail } from './reasoning-details.ts';
import { readUsage, usageOf } from './token-usage.ts';
import { withTier } from '../token-usage.ts';

export function readWhole(body: Readonly<JsonObject>, provider: ProviderTraits | null): readonly ResponsePart[] | null {
  if (!Array.isArray(body.choices)) return null;
  const parts: ResponsePart[] = [startOf(body)];
  for (const choice of body.choices) {
    if (!isObject(choice)) continue;
    const index = indexOf(choice);
    addLogprobs(parts, choice, index);
    if (isObject(choice.message)) addContent(parts, choice.message, { index, calls: new ToolCalls(seedOf(body, index)), isWhole: true });
    addFinish(parts, choice, index);
  }
  addUsage(parts, body, provider);
  return parts;
}

export function createStreamReader(provider: ProviderTraits | null): StreamReader {
  return new ChatStreamReader(provider);
}

class ChatStreamReader implements StreamReader {
  readonly #provider: ProviderTraits | null;
  #hasStarted = false;
  #isComplete = false;
  readonly #calls = new Map<number, ToolCalls>();
  readonly #plain = new PlainDeltas();

  constructor(provider: ProviderTraits | null) {
    this.#provider = provider;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const text = this.#plain.read(data);
    if (text !== null) return text === '' ? [] : [{ type: 'text', text, choice: this.#plain.choice }];
    if (isDone(data)) {
      this.#isComplete = true;
      return [];
    }
    const chunk = parseObject(data);
    if (chunk === null) return [];
    const error = errorOf(chunk, this.#provider);
    if (error !== null) return [{ type: 'error', error }];
    const parts: ResponsePart[] = [];
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      parts.push(startOf(chunk));
    }
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      if (!isObject(choice)) continue;
      const index = indexOf(choice);
      addLogprobs(parts, choice, index);
      if (isObject(choice.delta)) addContent(parts, choice.delta, { index, calls: this.#callsOf(chunk, index), isWhole: false });
      addFinish(parts, choice, index);
    }
    addUsage(parts, chunk, this.#provider);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'text') this.#plain.learn(data, only);
    return parts;
  }

  #callsOf(chunk: JsonObject, choice: number): ToolCalls {
    const known = this.#calls.get(choice);
    if (known !== undefined) return known;
    const calls = new ToolCalls(seedOf(chunk, choice));
    this.#calls.set(choice, calls);
    return calls;
  }
}

function startOf(body: Readonly<JsonObject>): ResponsePart {
  return {
    type: 'start',
    id: typeof body.id === 'string' ? body.id : '',
    model: typeof body.model === 'string' ? body.model : '',
    ...(typeof body.created === 'number' ? { createdAt: body.created } : {}),
  };
}

/** Seed of generated call ids, which must be unique in a conversation. */
function seedOf({ id, created }: Readonly<JsonObject>, choice: number): string {
  return JSON.stringify([id, created, choice]);
}

function indexOf(choice: JsonObject): number {
  return typeof choice.index === 'number' ? choice.index : 0;
}

interface ReadChoice {
  index: number;
  calls: ToolCalls;
  /** Whether each call is complete, whatever its number. */
  isWhole: boolean;
}

function addContent(parts: ResponsePart[], content: JsonObject, read: ReadChoice): void {
  const { index: choice, calls } = read;
  if (!addReasoningDetails(parts, content)) {
    const thought = content.reasoning_content ?? content.reasoning;
    if (typeof thought === 'string' && thought !== '') parts.push({ type: 'reasoning', text: thought, choice });
  }
  const text = textOf(content.content);
  if (text !== '') parts.push({ type: 'text', text, choice });
  if (typeof content.refusal === 'string' && content.refusal !== '') parts.push({ type: 'refusal', text: content.refusal, choice });
  for (const annotation of Array.isArray(content.annotations) ? content.annotations : []) addCitation(parts, annotation, choice);
  for (const piece of Array.isArray(content.tool_calls) ? content.tool_calls : []) {
    if (isObject(piece)) addCall(parts, piece, read);
  }
  if (isObject(content.function_call) && (hasName(content.function_call) || calls.hasFirst))
    addCall(parts, { index: 0, function: content.function_call }, { ...read, isWhole: false });
}

/** Whether a call has a name; some servers send an empty call in every response. */
function hasName({ name }: JsonObject): boolean {
  return typeof name === 'string' && name !== '';
}

function addReasoningDetails(parts: ResponsePart[], { reasoning_details: details }: JsonObject): boolean {
  if (!Array.isArray(details) || details.length === 0) return false;
  for (const detail of details) {
    if (!isObject(detail)) continue;
    const text = detail.text ?? detail.summary;
    if (typeof text === 'string' && text !== '') parts.push({ type: 'reasoning', text });
    if (typeof detail.signature === 'string' && detail.signature !== '')
      parts.push({ type: 'reasoning_seal', seal: sealOfDetail(detail.signature, detail) });
    if (typeof detail.data === 'string') parts.push({ type: 'sealed', seal: sealOfDetail(detail.data, detail) });
  }
  return true;
}

/** Adds the log probabilities of the content or of the refusal. */
function addLogprobs(parts: ResponsePart[], { logprobs }: JsonObject, choice: number): void {
  if (!isObject(logprobs)) return;
  const tokens = [...readLogprobs(logprobs.content), ...readLogprobs(logprobs.refusal)];
  if (tokens.length > 0) parts.push({ type: 'logprobs', tokens, choice });
}

/** Returns the text of a content; some servers send a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function addCitation(parts: ResponsePart[], annotation: unknown, choice: number): void {
  const cited = isObject(annotation) ? annotation.url_citation : undefined;
  if (!isObject(cited) || typeof cited.url !== 'string') return;
  const { start_index: start, end_index: end, title } = cited;
  const range = typeof start === 'number' && typeof end === 'number' ? { start, end } : {};
  parts.push({ type: 'citation', url: cited.url, ...(typeof title === 'string' ? { title } : {}), ...range, choice });
}

function addCall(parts: ResponsePart[], piece: JsonObject, { index: choice, calls, isWhole }: ReadChoice): void {
  const called = calledIn(piece);
  const reported = { ...piece, function: called };
  const { index, isNew, id } = isWhole ? calls.begin(reported) : calls.place(reported);
  if (isNew) {
    const seal = readSignatureField(piece);
    const name = typeof called.name === 'string' ? called.name : '';
    parts.push({ type: 'tool_call', index, id, name, choice, ...(seal === undefined ? {} : { seal }) });
  }
  const written = called.arguments;
  // Some servers send an object.
  const text = typeof written === 'string' ? written : isObject(written) ? JSON.stringify(written) : '';
  if (text !== '') parts.push({ type: 'tool_arguments', index, text, choice });
}

/** Returns the called function, or the called free text tool. */
function calledIn({ function: called, custom }: JsonObject): JsonObject {
  if (isObject(called)) return called;
  if (!isObject(custom)) return {};
  return { name: custom.name, arguments: typeof custom.input === 'string' ? argumentsOfText(custom.input) : undefined };
}

function addFinish(parts: ResponsePart[], choice: JsonObject, index: number): void {
  parts.push(...endingParts(readChoiceEnding(choice), { choice: index }));
}

function addUsage(parts: ResponsePart[], body: Readonly<JsonObject>, provider: ProviderTraits | null): void {
  const usage = readUsage(usageOf(body), provider?.responses);
  if (usage === 'invalid') parts.push({ type: 'invalid_usage', counts: ['input', 'output'] });
  else if (usage !== null) parts.push({ type: 'usage', usage: withTier(usage, body.service_tier) });
}
