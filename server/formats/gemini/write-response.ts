// Writes parts as a `generateContent` response or stream: each event is a whole response.
import { JsonProgress } from '#server/framing/json-progress.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { blockedPromptParts, isBlockedPrompt } from '../blocked-prompt.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../client-dialect.ts';
import type { FinishReason, ResponsePart, TokenLogprob } from '../parts.ts';
import type { Seal } from '../seal.ts';
import { withUsage } from '../token-usage.ts';
import { errorBody } from '#server/surfaces/gemini/errors.ts';
import { writeFinishReason } from './finish-reason.ts';
import { writeLogprobs } from './logprobs.ts';
import { blockedPrompt } from './prompt-feedback.ts';
import { createFrame, type StreamFrame } from './stream-frame.ts';
import { WrittenGrounding } from './written-grounding.ts';
import { writeHosted } from './hosted-parts.ts';
import { writeSignature } from './thought-signature.ts';
import { writeTokenUsage } from './token-usage.ts';

type Json = Record<string, unknown>;

/** Maximum characters of a call's arguments, buffered until complete. */
const longestArguments = 8_000_000;

interface OpenCall {
  id: string;
  name: string;
  seal: Seal | undefined;
  arguments: string;
  progress: JsonProgress;
}

/** Writes the parts of one candidate once they are complete: arguments are an object. */
class CandidateWriter {
  /** Part budget of arguments, which arrive as text and leave as objects. */
  readonly #budget = new PartBudget();
  readonly #calls = new Map<number, OpenCall>();
  /** Signatures that are separate from their calls. */
  readonly #seals = new Map<string, Seal>();
  readonly #grounding = new WrittenGrounding();
  readonly #logprobs: TokenLogprob[] = [];
  #finish: FinishReason = 'stop';
  #isMalformed = false;
  /** Whether content or a call was received. */
  hasWritten = false;

  /** A filter blocked the prompt: nothing was written. */
  get isBlocked(): boolean {
    return this.#finish === 'content_filter' && !this.hasWritten;
  }

  write(part: ResponsePart): Json[] {
    const written = this.#partsOf(part);
    if (written.length > 0 || part.type === 'tool_call') this.hasWritten = true;
    return written;
  }

  #partsOf(part: ResponsePart): Json[] {
    switch (part.type) {
      case 'text':
      case 'refusal':
        this.#grounding.addText(part.text);
        return [{ text: part.text }];
      case 'hosted_call':
        if (part.kind === 'web_search') this.#grounding.addQuery(part.input['query']);
        return writeHosted(part);
      case 'hosted_result':
        return writeHosted(part);
      case 'reasoning':
        return [{ text: part.text, thought: true }];
      case 'reasoning_seal':
        return [{ text: '', thought: true, thoughtSignature: writeSignature(part.seal) }];
      case 'sealed':
        if (part.seal.callId === undefined) return [{ text: '', thoughtSignature: writeSignature(part.seal) }];
        this.#seals.set(part.seal.callId, part.seal);
        return [];
      case 'image':
        return [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
      case 'tool_call':
        this.#calls.set(part.index, { id: part.id, name: part.name, seal: part.seal, arguments: '', progress: new JsonProgress() });
        return [];
      case 'tool_arguments':
        return this.#addArguments(part);
      case 'citation':
        this.#grounding.cite(part);
        return [];
      case 'logprobs':
        this.#logprobs.push(...part.tokens);
        return [];
      case 'finish':
        this.#finish = part.reason;
        return [];
      default:
        return [];
    }
  }

  #addArguments({ index, text }: Extract<ResponsePart, { type: 'tool_arguments' }>): Json[] {
    const call = this.#calls.get(index);
    if (call === undefined) return [];
    if (call.arguments.length + text.length > longestArguments) {
      this.#calls.delete(index);
      this.#isMalformed = true;
      return [];
    }
    call.arguments += text;
    call.progress.push(text);
    if (!call.progress.isComplete) return [];
    this.#calls.delete(index);
    return this.#written(call);
  }

  /** Returns no part if the arguments are not an object. */
  #written({ id, name, seal = this.#seals.get(id), arguments: text }: OpenCall): Json[] {
    const args = text === '' ? {} : this.#budget.parseObject(text);
    if (args === null) {
      this.#isMalformed = true;
      return [];
    }
    return [{ functionCall: { id, name, args }, ...(seal === undefined ? {} : { thoughtSignature: writeSignature(seal) }) }];
  }

  /** Returns the calls that are still open: those without arguments, or with incomplete ones. */
  rest(): Json[] {
    const rest = [...this.#calls.values()].flatMap((call) => this.#written(call));
    this.#calls.clear();
    return rest;
  }

  /** Returns the members at the end of a candidate. */
  ending(): Json {
    const finishReason = this.#isMalformed ? 'MALFORMED_FUNCTION_CALL' : writeFinishReason(this.#finish);
    const logprobs = this.#logprobs.length === 0 ? {} : { logprobsResult: writeLogprobs(this.#logprobs) };
    return { finishReason, ...this.#grounding.written(), ...logprobs };
  }
}

function choiceOf(part: ResponsePart): number {
  return 'choice' in part ? (part.choice ?? 0) : 0;
}

export function writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  const candidates = new Map<number, { writer: CandidateWriter; parts: Json[] }>([[0, { writer: new CandidateWriter(), parts: [] }]]);
  let { model } = options;
  for (const part of parts) {
    if (part.type === 'start') model = part.model || model;
    const known = candidates.get(choiceOf(part));
    const candidate = known ?? { writer: new CandidateWriter(), parts: [] };
    if (known === undefined) candidates.set(choiceOf(part), candidate);
    for (const written of candidate.writer.write(part)) addPart(candidate.parts, written);
  }
  const reported = { usageMetadata: writeTokenUsage(usage ?? noTokens), modelVersion: model, responseId: options.requestId };
  if ([...candidates.values()].every(({ writer }) => writer.isBlocked)) return { ...blockedPrompt, ...reported };
  return {
    candidates: [...candidates]
      .toSorted(([a], [b]) => a - b)
      .map(([index, { writer, parts: written }]) => ({
        content: { parts: [...written, ...writer.rest()], role: 'model' },
        ...writer.ending(),
        index,
      })),
    ...reported,
  };
}

/** Adds a part, joining consecutive texts; a signature that follows a text is added to it. */
function addPart(parts: Json[], part: Json): void {
  const last = parts.at(-1);
  const isSame = last !== undefined && last.text !== undefined && part.text !== undefined && last.thought === part.thought;
  if (isSame && last.thoughtSignature === undefined) Object.assign(last, part, { text: `${String(last.text)}${String(part.text)}` });
  else parts.push(part);
}

export function createStreamWriter(options: ResponseWriterOptions): StreamWriter {
  return new ResponseStreamWriter(options);
}

class ResponseStreamWriter implements StreamWriter {
  readonly #candidates = new Map<number, CandidateWriter>([[0, new CandidateWriter()]]);
  readonly #frame: StreamFrame;
  readonly #id: string;
  #model: string;
  #usage: TokenUsage | null = null;

  constructor({ requestId, model, requested }: ResponseWriterOptions) {
    this.#frame = createFrame(requested);
    this.#id = requestId;
    this.#model = model;
  }

  write(part: ResponsePart): string {
    if (part.type === 'start') this.#model = part.model || this.#model;
    if (part.type === 'usage') this.#usage = withUsage(this.#usage, part.usage);
    const index = choiceOf(part);
    const known = this.#candidates.get(index);
    const candidate = known ?? new CandidateWriter();
    if (known === undefined) this.#candidates.set(index, candidate);
    const parts = candidate.write(part);
    return parts.length === 0 ? '' : this.#event({ candidates: [{ content: { parts, role: 'model' }, index }] });
  }

  keepAlive(): string {
    return this.#frame.keepAlive();
  }

  fail(error: ErrorObject): string {
    const isAtOnce = [...this.#candidates.values()].every(({ hasWritten }) => !hasWritten);
    if (isAtOnce && isBlockedPrompt(error)) return blockedPromptParts.map((part) => this.write(part)).join('') + this.end(null);
    return this.#frame.add(JSON.stringify(errorBody(error))) + this.#frame.end();
  }

  end(usage: TokenUsage | null): string {
    const usageMetadata = writeTokenUsage(usage ?? this.#usage ?? noTokens);
    if ([...this.#candidates.values()].every(({ isBlocked }) => isBlocked))
      return this.#event({ ...blockedPrompt, usageMetadata }) + this.#frame.end();
    const candidates = [...this.#candidates]
      .toSorted(([a], [b]) => a - b)
      .map(([index, candidate]) => {
        const rest = candidate.rest();
        return { content: { parts: rest.length === 0 ? [{ text: '' }] : rest, role: 'model' }, ...candidate.ending(), index };
      });
    return this.#event({ candidates, usageMetadata }) + this.#frame.end();
  }

  #event(response: Json): string {
    return this.#frame.add(JSON.stringify({ ...response, modelVersion: this.#model, responseId: this.#id }));
  }
}
