// Reads a `generateContent` response or stream into parts. Read loosely: unexpected values count as absent.
import { factsOf } from '#server/model-facts/find-facts.ts';
import { createHash, randomUUID } from 'node:crypto';
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { HostedCallPart, HostedResultPart, ResponsePart } from '../parts.ts';
import { endingParts } from '../finish-reasons.ts';
import type { Seal } from '../seal.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { Grounding, Searches } from './grounding.ts';
import { readFinishReason } from './finish-reason.ts';
import { readLogprobs } from './logprobs.ts';
import { errorOf, isBlocked, statedErrorOf } from './response-errors.ts';
import { type PlainEvent, PlainEvents } from './plain-events.ts';
import { usageParts } from './token-usage.ts';

/**
 * Reads a complete response; null if it has no candidates.
 * @param model requested model, for providers that do not report one
 */
export function readWhole(body: Readonly<JsonObject>, _provider: unknown = null, model = ''): readonly ResponsePart[] | null {
  return Array.isArray(body.candidates) ? new ResponseReader(model).response(body) : null;
}

/** Reads a complete response for a caller of this format, to whom a blocked prompt is a response. */
export function readAnswer(body: Readonly<JsonObject>, provider: unknown = null, model = ''): readonly ResponsePart[] | null {
  return readWhole(body, provider, model) ?? (isBlocked(body) ? new ResponseReader(model).response(body) : null);
}

export function createAnswerReader(model: string): StreamReader {
  return streamReader(statedErrorOf, model);
}

/** @param model as in `readWhole` */
export function createStreamReader(_provider: unknown = null, model = ''): StreamReader {
  return streamReader(errorOf, model);
}

function streamReader(errorIn: typeof errorOf, model: string): StreamReader {
  const reader = new ResponseReader(model);
  const plain = new PlainEvents();
  /** JSON of the usage in the last plain event, not parsed yet. */
  let unreadUsage: string | null = null;
  const readUnread = (): readonly ResponsePart[] => {
    if (unreadUsage === null) return [];
    const parts = usageParts(parseObject(unreadUsage));
    unreadUsage = null;
    return parts;
  };
  return {
    // The stream has no end marker: the body ends.
    isComplete: false,
    read({ data }: FramedEvent) {
      const same = plain.read(data);
      const parts = same === null ? null : reader.plainText(same);
      if (same !== null && parts !== null) {
        if (same.usage !== null) unreadUsage = same.usage;
        return parts;
      }
      const event = parseObject(data);
      if (event === null) return [];
      const error = errorIn(event);
      if (error !== null) return [...readUnread(), { type: 'error', error }];
      const before = readUnread();
      const read = reader.response(event);
      const [text, usage] = read;
      const isPlain = text?.type === 'text' && read.length <= 2 && (usage === undefined || usage.type === 'usage');
      if (isPlain) plain.learn(data, text);
      return before.length === 0 ? read : [...before, ...read];
    },
    readUnread,
  };
}

/** State of one candidate. */
interface Candidate {
  calls: number;
  isBehindCode: boolean;
  finish: string | undefined;
  grounding: Grounding;
  /** Number of code executions. */
  codes: number;
}

/** Reads responses: every event of a stream is a whole one. */
class ResponseReader {
  readonly #candidates = new Map<number, Candidate>();
  readonly #requestedModel: string;
  #id: string | undefined;
  #searches: Searches | undefined;

  constructor(requestedModel: string) {
    this.#requestedModel = requestedModel;
  }

  response(body: Readonly<JsonObject>): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (this.#id === undefined) {
      this.#id = isFilled(body.responseId) ? body.responseId : randomUUID();
      const model = isFilled(body.modelVersion) ? body.modelVersion : '';
      this.#searches = new Searches(factsOf(model)?.vendor === 'google' ? model : this.#requestedModel);
      parts.push({ type: 'start', id: '', model });
    }
    const searches = (this.#searches ??= new Searches(this.#requestedModel));
    for (const candidate of Array.isArray(body.candidates) ? body.candidates : []) {
      if (isObject(candidate)) parts.push(...this.#candidate(candidate, searches));
    }
    if (isBlocked(body)) parts.push({ type: 'finish', reason: 'content_filter', choice: 0 });
    return [...parts, ...usageParts(body.usageMetadata)];
  }

  /** Reads a plain event of a known candidate. If null, it must be parsed. */
  plainText({ text, choice }: PlainEvent): ResponsePart[] | null {
    const state = this.#candidates.get(choice);
    if (state === undefined || state.isBehindCode) return null;
    if (text === '') return [];
    state.grounding.addText(text);
    state.finish = undefined;
    return [{ type: 'text', text, choice }];
  }

  #candidate(body: JsonObject, searches: Searches): ResponsePart[] {
    const choice = typeof body.index === 'number' ? body.index : 0;
    const state = this.#candidates.get(choice) ?? {
      calls: 0,
      isBehindCode: false,
      finish: undefined,
      grounding: new Grounding(searches, choice),
      codes: 0,
    };
    this.#candidates.set(choice, state);
    const logprobs = readLogprobs(body.logprobsResult);
    const parts: ResponsePart[] = logprobs.length === 0 ? [] : [{ type: 'logprobs', tokens: logprobs, choice }];
    const content = isObject(body.content) && Array.isArray(body.content.parts) ? body.content.parts : [];
    for (const part of content) if (isObject(part)) parts.push(...this.#part(part, choice, state));
    parts.push(...state.grounding.read(body));
    // Later content cancels a finish reason; some servers repeat the reason without content.
    if (parts.length > 0) state.finish = undefined;
    if (isFilled(body.finishReason) && body.finishReason !== state.finish) {
      state.finish = body.finishReason;
      parts.push(...endingParts(readFinishReason(body.finishReason, state.calls > 0, body.finishMessage), { choice }));
    }
    return parts;
  }

  #part(part: JsonObject, choice: number, state: Candidate): ResponsePart[] {
    const { isBehindCode } = state;
    state.isBehindCode = false;
    const seal = isFilled(part.thoughtSignature) ? ({ origin: 'gemini', data: part.thoughtSignature } as const) : undefined;
    if (isObject(part.functionCall)) return this.#call(part.functionCall, { choice, state, seal });
    const parts: ResponsePart[] = [];
    const code = this.#code(part, state);
    if (code !== null) {
      state.isBehindCode = true;
      parts.push({ ...code, choice });
      if (code.type === 'hosted_call') parts.push({ type: 'hosted_usage', calls: { code_execution: state.codes } });
    } else if (part.thought === true) {
      if (isFilled(part.text)) parts.push({ type: 'reasoning', text: part.text, choice });
    } else if (isFilled(part.text)) {
      // The line break between code and text is already written.
      if (!isBehindCode || part.text !== '\n') {
        state.grounding.addText(part.text);
        parts.push({ type: 'text', text: part.text, choice });
      }
    } else if (isObject(part.inlineData)) parts.push(...pictureOf(part.inlineData, choice));
    if (seal !== undefined && choice === 0) parts.push({ type: part.thought === true ? 'reasoning_seal' : 'sealed', seal });
    return parts;
  }

  /** Reads code that ran at the provider, or its output. If null, the part is neither. */
  #code(part: JsonObject, state: Candidate): HostedCallPart | HostedResultPart | null {
    const { executableCode: code, codeExecutionResult: result } = part;
    const shared = { kind: 'code_execution', origin: 'gemini', object: part } as const;
    if (isObject(code)) {
      state.codes += 1;
      const input = { code: isFilled(code.code) ? code.code : '', language: isFilled(code.language) ? code.language : '' };
      return { type: 'hosted_call', id: this.#idOfCode(code, state), ...shared, input };
    }
    if (!isObject(result)) return null;
    const output = isFilled(result.output) ? result.output : '';
    const isError = isFilled(result.outcome) && result.outcome !== 'OUTCOME_OK';
    return { type: 'hosted_result', callId: this.#idOfCode(result, state), ...shared, sources: [], output, isError };
  }

  #idOfCode({ id }: JsonObject, { codes }: Candidate): string {
    return isFilled(id) ? id : `code_${codes}`;
  }

  #call(call: JsonObject, { choice, state, seal }: { choice: number; state: Candidate; seal: Seal | undefined }): ResponsePart[] {
    const index = state.calls;
    state.calls += 1;
    const id = isFilled(call.id) ? call.id : this.#idOfCall(choice, index);
    const name = isFilled(call.name) ? call.name : '';
    return [
      { type: 'tool_call', index, id, name, choice, ...(seal === undefined ? {} : { seal }) },
      { type: 'tool_arguments', index, text: JSON.stringify(isObject(call.args) ? call.args : {}), choice },
    ];
  }

  /** Returns an id for a call without one, unique in its conversation. */
  #idOfCall(choice: number, index: number): string {
    const hash = createHash('sha256').update(`${this.#id} ${choice} ${index}`).digest('base64url');
    return `call_${hash.slice(0, 24)}`;
  }
}

function pictureOf({ mimeType, data }: JsonObject, choice: number): ResponsePart[] {
  return isFilled(mimeType) && isFilled(data) ? [{ type: 'image', mediaType: mimeType, data, choice }] : [];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
