// A chat completion, or its stream → parts. Read loosely: what is not as expected counts as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { ProviderTraits } from '../provider-traits.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { isDone } from './done-event.ts';
import { readFinishReason } from './finish-reason.ts';
import { errorIn } from './response-errors.ts';
import { PlainDeltas } from './plain-deltas.ts';
import { argumentsOfText } from '../text-tools.ts';
import { readLogprobs } from '../token-logprobs.ts';
import { readSignatureField, sealOfDetail } from './reasoning-details.ts';
import { isInvalidUsage, readTokenUsage, usageOf } from './token-usage.ts';
import { withTier } from '../token-usage.ts';

export function readWhole(body: Readonly<JsonObject>, provider: ProviderTraits | null): readonly ResponsePart[] | null {
  if (!Array.isArray(body.choices)) return null;
  const parts: ResponsePart[] = [startOf(body)];
  for (const choice of body.choices) {
    if (!isObject(choice)) continue;
    const index = indexOf(choice);
    addLogprobs(parts, choice, index);
    if (isObject(choice.message)) addContent(parts, choice.message, index, new ToolCalls());
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
    const error = errorIn(data, this.#provider);
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
      if (isObject(choice.delta)) addContent(parts, choice.delta, index, this.#callsOf(index));
      addFinish(parts, choice, index);
    }
    addUsage(parts, chunk, this.#provider);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'text') this.#plain.learn(data, only);
    return parts;
  }

  #callsOf(choice: number): ToolCalls {
    const known = this.#calls.get(choice);
    if (known !== undefined) return known;
    const calls = new ToolCalls();
    this.#calls.set(choice, calls);
    return calls;
  }
}

/** Providers number the calls of a message by `index`, by a new `id`, or not at all. */
class ToolCalls {
  readonly #indexes = new Map<string, number>();
  #last = -1;

  /** The call of index 0 has begun: the only one of the legacy form. */
  get hasFirst(): boolean {
    return this.#indexes.has('#0');
  }

  /** The call that this piece belongs to, and whether it begins with it. */
  place(piece: JsonObject): { index: number; isNew: boolean } {
    const { index, id } = piece;
    const key = typeof index === 'number' ? `#${index}` : typeof id === 'string' && id !== '' ? id : null;
    if (key === null && this.#last >= 0) return { index: this.#last, isNew: false };
    const known = key === null ? undefined : this.#indexes.get(key);
    this.#last = known ?? this.#indexes.size;
    if (known !== undefined) return { index: known, isNew: false };
    this.#indexes.set(key ?? '', this.#last);
    return { index: this.#last, isNew: true };
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

function indexOf(choice: JsonObject): number {
  return typeof choice.index === 'number' ? choice.index : 0;
}

function addContent(parts: ResponsePart[], content: JsonObject, choice: number, calls: ToolCalls): void {
  if (!addReasoningDetails(parts, content)) {
    const thought = content.reasoning_content ?? content.reasoning;
    if (typeof thought === 'string' && thought !== '') parts.push({ type: 'reasoning', text: thought, choice });
  }
  const text = textOf(content.content);
  if (text !== '') parts.push({ type: 'text', text, choice });
  if (typeof content.refusal === 'string' && content.refusal !== '') parts.push({ type: 'refusal', text: content.refusal, choice });
  for (const annotation of Array.isArray(content.annotations) ? content.annotations : []) addCitation(parts, annotation, choice);
  for (const piece of Array.isArray(content.tool_calls) ? content.tool_calls : []) {
    if (isObject(piece)) addCall(parts, piece, choice, calls);
  }
  if (isObject(content.function_call) && (hasName(content.function_call) || calls.hasFirst))
    addCall(parts, { index: 0, function: content.function_call }, choice, calls);
}

/** Some send an empty one in every answer: a call begins with its name. */
function hasName({ name }: JsonObject): boolean {
  return typeof name === 'string' && name !== '';
}

function addReasoningDetails(parts: ResponsePart[], { reasoning_details: details }: JsonObject): boolean {
  if (!Array.isArray(details) || details.length === 0) return false;
  for (const detail of details) {
    if (!isObject(detail)) continue;
    if (typeof detail.text === 'string' && detail.text !== '') parts.push({ type: 'reasoning', text: detail.text });
    if (typeof detail.signature === 'string' && detail.signature !== '')
      parts.push({ type: 'reasoning_seal', seal: sealOfDetail(detail.signature, detail) });
    if (typeof detail.data === 'string') parts.push({ type: 'sealed', seal: sealOfDetail(detail.data, detail) });
  }
  return true;
}

/** Of the content, and of a refusal, which stands in its place. */
function addLogprobs(parts: ResponsePart[], { logprobs }: JsonObject, choice: number): void {
  if (!isObject(logprobs)) return;
  const tokens = [...readLogprobs(logprobs.content), ...readLogprobs(logprobs.refusal)];
  if (tokens.length > 0) parts.push({ type: 'logprobs', tokens, choice });
}

/** Some answer with parts where the format has a text. */
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

function addCall(parts: ResponsePart[], piece: JsonObject, choice: number, calls: ToolCalls): void {
  const called = calledIn(piece);
  const { index, isNew } = calls.place(piece);
  if (isNew) {
    const id = typeof piece.id === 'string' && piece.id !== '' ? piece.id : `call_${choice}_${index}`;
    const seal = readSignatureField(piece);
    const name = typeof called.name === 'string' ? called.name : '';
    parts.push({ type: 'tool_call', index, id, name, choice, ...(seal === undefined ? {} : { seal }) });
  }
  const written = called.arguments;
  // Some write the object itself.
  const text = typeof written === 'string' ? written : isObject(written) ? JSON.stringify(written) : '';
  if (text !== '') parts.push({ type: 'tool_arguments', index, text, choice });
}

/** Of a tool that is called with a free text, too. */
function calledIn({ function: called, custom }: JsonObject): JsonObject {
  if (isObject(called)) return called;
  if (!isObject(custom)) return {};
  return { name: custom.name, arguments: typeof custom.input === 'string' ? argumentsOfText(custom.input) : undefined };
}

function addFinish(parts: ResponsePart[], choice: JsonObject, index: number): void {
  const reason = readFinishReason(choice.finish_reason);
  if (reason !== null) parts.push({ type: 'finish', reason, choice: index });
}

function addUsage(parts: ResponsePart[], body: Readonly<JsonObject>, provider: ProviderTraits | null): void {
  const told = usageOf(body);
  const usage = withTier(readTokenUsage(told, provider?.responses), body.service_tier);
  if (usage !== null) parts.push({ type: 'usage', usage });
  else if (isInvalidUsage(told)) parts.push({ type: 'invalid_usage', counts: ['input', 'output'] });
}
