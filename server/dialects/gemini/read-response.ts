// A `generateContent` response, or its stream → parts. Read loosely: what is not as expected counts as absent.
import { createHash, randomUUID } from 'node:crypto';
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { Seal } from '../seal.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { codeOf } from './code-parts.ts';
import { readFinishReason } from './finish-reason.ts';
import { errorOf } from './response-errors.ts';
import { usageParts } from './token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  return Array.isArray(body.candidates) ? new ResponseReader().response(body) : null;
}

export function createStreamReader(): StreamReader {
  const reader = new ResponseReader();
  return {
    // Nothing says that nothing follows: the body ends.
    isComplete: false,
    read({ data }: FramedEvent) {
      const event = parseObject(data);
      if (event === null) return [];
      const error = errorOf(event);
      return error === null ? reader.response(event) : [{ type: 'error', error }];
    },
  };
}

/** What came of one candidate before. */
interface Candidate {
  calls: number;
  isBehindCode: boolean;
  finish: string | undefined;
  cited: Set<string>;
}

/** Every event of a stream is a response of its own. */
class ResponseReader {
  readonly #candidates = new Map<number, Candidate>();
  #id: string | undefined;

  response(body: Readonly<JsonObject>): ResponsePart[] {
    const parts: ResponsePart[] = [];
    if (this.#id === undefined) {
      this.#id = isFilled(body.responseId) ? body.responseId : randomUUID();
      parts.push({ type: 'start', id: '', model: isFilled(body.modelVersion) ? body.modelVersion : '' });
    }
    for (const candidate of Array.isArray(body.candidates) ? body.candidates : []) {
      if (isObject(candidate)) parts.push(...this.#candidate(candidate));
    }
    return [...parts, ...usageParts(body.usageMetadata)];
  }

  #candidate(body: JsonObject): ResponsePart[] {
    const choice = typeof body.index === 'number' ? body.index : 0;
    const state = this.#candidates.get(choice) ?? { calls: 0, isBehindCode: false, finish: undefined, cited: new Set() };
    this.#candidates.set(choice, state);
    const parts: ResponsePart[] = [];
    const content = isObject(body.content) && Array.isArray(body.content.parts) ? body.content.parts : [];
    for (const part of content) if (isObject(part)) parts.push(...this.#part(part, choice, state));
    parts.push(...citationsOf(body, state.cited));
    // Some tell it again.
    if (isFilled(body.finishReason) && body.finishReason !== state.finish) {
      state.finish = body.finishReason;
      const reason = readFinishReason(body.finishReason, state.calls > 0);
      if (reason !== null) parts.push({ type: 'finish', reason, choice });
    }
    return parts;
  }

  #part(part: JsonObject, choice: number, state: Candidate): ResponsePart[] {
    const { isBehindCode } = state;
    state.isBehindCode = false;
    const seal = isFilled(part.thoughtSignature) ? ({ origin: 'gemini', data: part.thoughtSignature } as const) : undefined;
    if (isObject(part.functionCall)) return this.#call(part.functionCall, { choice, state, seal });
    const parts: ResponsePart[] = [];
    const code = codeOf(part);
    if (code !== null) {
      state.isBehindCode = true;
      parts.push({ type: 'text', text: code, choice });
    } else if (part.thought === true) {
      if (isFilled(part.text)) parts.push({ type: 'reasoning', text: part.text, choice });
    } else if (isFilled(part.text)) {
      // The line end between the code and what is said of it is there already.
      if (!isBehindCode || part.text !== '\n') parts.push({ type: 'text', text: part.text, choice });
    } else if (isObject(part.inlineData)) parts.push(...pictureOf(part.inlineData, choice));
    if (seal !== undefined && choice === 0) parts.push({ type: part.thought === true ? 'reasoning_seal' : 'sealed', seal });
    return parts;
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

  /** No two calls of a conversation may have the same. */
  #idOfCall(choice: number, index: number): string {
    const hash = createHash('sha256').update(`${this.#id} ${choice} ${index}`).digest('base64url');
    return `call_${hash.slice(0, 24)}`;
  }
}

function pictureOf({ mimeType, data }: JsonObject, choice: number): ResponsePart[] {
  return isFilled(mimeType) && isFilled(data) ? [{ type: 'image', mediaType: mimeType, data, choice }] : [];
}

/** Sources of a search, each once. */
function citationsOf({ groundingMetadata: grounding, citationMetadata: cited }: JsonObject, known: Set<string>): ResponsePart[] {
  const parts: ResponsePart[] = [];
  const add = (source: unknown) => {
    if (!isObject(source) || !isFilled(source.uri) || known.has(source.uri)) return;
    known.add(source.uri);
    parts.push({ type: 'citation', url: source.uri, ...(isFilled(source.title) ? { title: source.title } : {}) });
  };
  const chunks = isObject(grounding) && Array.isArray(grounding.groundingChunks) ? grounding.groundingChunks : [];
  for (const chunk of chunks) if (isObject(chunk)) add(chunk.web ?? chunk.maps ?? chunk.retrievedContext);
  const sources = isObject(cited) ? (cited.citationSources ?? cited.citations) : [];
  if (Array.isArray(sources)) for (const source of sources) add(source);
  return parts;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
