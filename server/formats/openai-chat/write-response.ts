// Writes parts as a chat completion or its stream.
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../client-dialect.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { FinishReason, ResponsePart, TokenLogprob } from '../parts.ts';
import type { Seal } from '../seal.ts';
import { citationOf, foundIn } from './annotations.ts';
import { callIds } from './call-ids.ts';
import { writeChoiceLogprobs } from './choice-logprobs.ts';
import { errorEvent } from './errors.ts';
import { writeFinishReason } from './finish-reason.ts';
import { keepAlive } from './keep-alive.ts';
import { addThought, encryptedDetail, signatureField, signThought, textDetail } from './reasoning-details.ts';
import { fencedCode } from '../fenced-code.ts';
import { markdownPicture } from '../media.ts';
import { responseId } from '../vendor-ids.ts';
import { TextOffsets } from '../text-offsets.ts';
import { calledIn, calledWith, textDeltaOf, type TextToolMapping, textToolMapping } from './text-tools.ts';
import { TextOfArguments } from '../text-tools.ts';
import { writeTokenUsage } from './token-usage.ts';

type Json = Record<string, unknown>;

interface WholeChoice {
  text: string;
  hasText: boolean;
  reasoning: string;
  refusal: string;
  calls: { id: string; name: string; arguments: string; seal?: Seal }[];
  details: Json[];
  citations: Json[];
  offsets: TextOffsets;
  logprobs: TokenLogprob[];
  finish: string;
}

export function writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  const choices = new Map<number, WholeChoice>();
  const head = { id: responseId('chatcmpl-', '', options), model: options.model, createdAt: options.createdAt };
  let found: Json = {};
  const choiceOf = (index = 0): WholeChoice => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const choice: WholeChoice = {
      text: '',
      hasText: false,
      reasoning: '',
      refusal: '',
      calls: [],
      details: [],
      citations: [],
      offsets: new TextOffsets(),
      logprobs: [],
      finish: 'stop',
    };
    choices.set(index, choice);
    return choice;
  };
  for (const part of parts) {
    if (part.type === 'start') {
      head.id = responseId('chatcmpl-', part.id, options);
      if (part.model !== '') head.model = part.model;
      head.createdAt = part.createdAt ?? head.createdAt;
    } else if (part.type === 'found_pages') found = foundIn(part.pages);
    else addToChoice(choiceOf('choice' in part ? part.choice : 0), part, options);
  }
  if (choices.size === 0) choiceOf(0);
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.createdAt,
    model: head.model,
    choices: [...choices].toSorted(([a], [b]) => a - b).map(([index, choice]) => writeChoice(index, choice, options.requested)),
    ...found,
    ...(usage === null ? {} : { usage: writeTokenUsage(usage) }),
  };
}

function addToChoice(choice: WholeChoice, part: ResponsePart, options: ResponseWriterOptions): void {
  switch (part.type) {
    case 'text':
      choice.text += part.text;
      choice.hasText = true;
      choice.offsets.add(part.text);
      break;
    case 'reasoning':
      choice.reasoning += part.text;
      addThought(choice.details, part.text);
      break;
    case 'reasoning_seal':
      signThought(choice.details, part.seal);
      break;
    case 'sealed':
      choice.details.push(encryptedDetail(part.seal));
      break;
    case 'refusal':
      choice.refusal += part.text;
      break;
    case 'tool_call':
      choice.calls[part.index] = {
        id: callIds.write(part.id, options),
        name: part.name,
        arguments: '',
        ...(part.seal === undefined ? {} : { seal: part.seal }),
      };
      if (part.seal !== undefined) choice.details.push(encryptedDetail({ ...part.seal, callId: part.id }));
      break;
    case 'tool_arguments': {
      const call = choice.calls[part.index];
      if (call !== undefined) call.arguments += part.text;
      break;
    }
    case 'image':
      insertText(choice, markdownPicture(part));
      break;
    case 'hosted_call':
    case 'hosted_result':
      insertText(choice, fencedCode(part));
      break;
    case 'citation':
      choice.citations.push(citationOf(part, choice.offsets));
      break;
    case 'logprobs':
      choice.logprobs.push(...part.tokens);
      break;
    case 'finish':
      choice.finish = writeFinishReason(part.reason);
      break;
    default:
  }
}

function insertText(choice: WholeChoice, text: string): void {
  choice.offsets.insert(text);
  choice.text += text;
  choice.hasText ||= text !== '';
}

function writeChoice(index: number, choice: WholeChoice, requested: ResponseWriterOptions['requested']): Json {
  const isSigned = choice.details.some((detail) => detail.signature !== undefined || detail.data !== undefined);
  const calls = choice.calls.filter((call) => call !== undefined);
  // Null fields are written: strict clients require them.
  const message: Json = {
    role: 'assistant',
    content: choice.hasText ? choice.text : null,
    refusal: choice.refusal || null,
    annotations: choice.citations,
  };
  if (choice.reasoning !== '') message.reasoning_content = choice.reasoning;
  // Clients send these back, so that the provider recognizes its thinking.
  if (isSigned) message.reasoning_details = choice.details;
  if (calls.length > 0) {
    message.tool_calls = calls.map((call) => ({ id: call.id, ...calledIn(call, requested), ...signatureField(call.seal) }));
  }
  const logprobs = choice.logprobs.length === 0 ? null : writeChoiceLogprobs(choice.logprobs, choice.refusal !== '' && !choice.hasText);
  return { index, message, logprobs, finish_reason: choice.finish };
}

export function createStreamWriter(options: ResponseWriterOptions): StreamWriter {
  return new ChatStreamWriter(options);
}

class ChatStreamWriter implements StreamWriter {
  readonly #wantsUsage: boolean;
  readonly #options: ResponseWriterOptions;
  #id: string;
  #model: string;
  #createdAt: number;
  /** Serialized start of every event. */
  #head: string | null = null;
  /** Serialized start of the last event with text, up to the text. */
  #textHead: { choice: number; field: string; head: string } | null = null;
  readonly #begun = new Set<number>();
  /** Calls without any arguments so far. */
  readonly #empty = new Map<string, { choice: number; index: number }>();
  /** Open calls with free text. */
  readonly #texts = new Map<string, { choice: number; index: number; form: TextToolMapping; reader: TextOfArguments }>();
  /** Finish reasons by choice, written at the end: later content cancels a reason. */
  readonly #reasons = new Map<number, FinishReason>();
  readonly #offsets = new Map<number, TextOffsets>();
  /** Log probabilities of the next text, by choice. */
  readonly #logprobs = new Map<number, TokenLogprob[]>();

  constructor(options: ResponseWriterOptions) {
    const { model, createdAt, wantsUsage } = options;
    this.#options = options;
    this.#id = responseId('chatcmpl-', '', this.#options);
    this.#model = model;
    this.#createdAt = createdAt;
    this.#wantsUsage = wantsUsage;
  }

  write(part: ResponsePart): string {
    switch (part.type) {
      case 'start':
        this.#id = responseId('chatcmpl-', part.id, this.#options);
        if (part.model !== '') this.#model = part.model;
        this.#createdAt = part.createdAt ?? this.#createdAt;
        this.#head = this.#textHead = null;
        return this.#begin(0);
      case 'text':
        this.#offsetsOf(part).add(part.text);
        return this.#textDelta(part.choice ?? 0, 'content', part.text);
      case 'reasoning':
        return this.#textDelta(part.choice ?? 0, 'reasoning_content', part.text);
      case 'reasoning_seal':
        return this.#delta(0, { reasoning_details: [textDetail('', part.seal)] });
      case 'sealed':
        return this.#delta(0, { reasoning_details: [encryptedDetail(part.seal)] });
      case 'refusal':
        return this.#delta(part.choice, { refusal: part.text }, true);
      case 'tool_call':
        return this.#call(part);
      case 'tool_arguments':
        return this.#arguments(part);
      case 'image':
        return this.#insert(part, markdownPicture(part));
      case 'hosted_call':
      case 'hosted_result':
        return this.#insert(part, fencedCode(part));
      case 'citation':
        return this.#delta(part.choice, { annotations: [citationOf(part, this.#offsetsOf(part))] });
      case 'found_pages':
        return this.#begin(0) + this.#event({ choices: [{ index: 0, delta: {}, finish_reason: null }], ...foundIn(part.pages) });
      case 'logprobs':
        this.#logprobs.set(part.choice ?? 0, [...(this.#logprobs.get(part.choice ?? 0) ?? []), ...part.tokens]);
        return '';
      case 'finish':
        this.#reasons.set(part.choice ?? 0, part.reason);
        return '';
      default:
        return '';
    }
  }

  #offsetsOf({ choice = 0 }: { choice?: number }): TextOffsets {
    let known = this.#offsets.get(choice);
    if (known === undefined) this.#offsets.set(choice, (known = new TextOffsets()));
    return known;
  }

  #insert(part: { choice?: number }, text: string): string {
    if (text === '') return '';
    this.#offsetsOf(part).insert(text);
    return this.#textDelta(part.choice ?? 0, 'content', text);
  }

  keepAlive(): string {
    return keepAlive;
  }

  fail(error: ErrorObject): string {
    return errorEvent(error);
  }

  end(usage: TokenUsage | null): string {
    if (this.#reasons.size === 0) this.#reasons.set(0, 'stop');
    const finish = [...this.#reasons].map(([choice, reason]) => this.#finish(choice, reason)).join('');
    const reported = this.#wantsUsage && usage !== null ? this.#event({ choices: [], usage: writeTokenUsage(usage) }) : '';
    return `${finish}${reported}data: [DONE]\n\n`;
  }

  /** The first chunk of a choice has the role. */
  #begin(choice: number): string {
    if (this.#begun.has(choice)) return '';
    this.#begun.add(choice);
    return this.#event({ choices: [{ index: choice, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
  }

  #delta(choice: number | undefined, delta: Json, isRefusal = false): string {
    const index = choice ?? 0;
    const logprobs = isRefusal ? this.#takeLogprobs(index, isRefusal) : undefined;
    return this.#begin(index) + this.#event({ choices: [{ index, delta, ...logprobs, finish_reason: null }] });
  }

  /** Returns a member of a chunk's choice. If undefined, there are none. */
  #takeLogprobs(choice: number, isRefusal: boolean): { logprobs: object } | undefined {
    const tokens = this.#logprobs.get(choice);
    this.#logprobs.delete(choice);
    return tokens === undefined ? undefined : { logprobs: writeChoiceLogprobs(tokens, isRefusal) };
  }

  /** Like `#delta`, for the most frequent events: only the text is serialized. */
  #textDelta(index: number, field: 'content' | 'reasoning_content', text: string): string {
    if (field === 'content' && this.#logprobs.has(index)) {
      const choice = { index, delta: { content: text }, ...this.#takeLogprobs(index, false), finish_reason: null };
      return `${this.#begin(index)}${this.#event({ choices: [choice] })}`;
    }
    if (this.#textHead?.choice !== index || this.#textHead.field !== field) {
      const head = `${this.#eventHead()}"choices":[{"index":${index},"delta":{"${field}":`;
      this.#textHead = { choice: index, field, head };
    }
    const begin = this.#begun.has(index) ? '' : this.#begin(index);
    return `${begin}${this.#textHead.head}${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
  }

  #call(part: Extract<ResponsePart, { type: 'tool_call' }>): string {
    const { choice = 0, index, name } = part;
    const form = textToolMapping(this.#options.requested, name);
    if (form === undefined) this.#empty.set(callKey(part), { choice, index });
    else this.#texts.set(callKey(part), { choice, index, form, reader: new TextOfArguments() });
    const call = {
      index,
      id: callIds.write(part.id, this.#options),
      ...calledWith({ form: form ?? 'function', name, text: '' }),
      ...signatureField(part.seal),
    };
    const details = part.seal === undefined ? {} : { reasoning_details: [encryptedDetail({ ...part.seal, callId: part.id })] };
    return this.#delta(part.choice, { tool_calls: [call], ...details });
  }

  #arguments(part: Extract<ResponsePart, { type: 'tool_arguments' }>): string {
    const written = this.#texts.get(callKey(part));
    if (written !== undefined) return this.#textOf(written, written.reader.push(part.text));
    this.#empty.delete(callKey(part));
    return this.#delta(part.choice, { tool_calls: [{ index: part.index, function: { arguments: part.text } }] });
  }

  #textOf({ choice, index, form }: { choice: number; index: number; form: TextToolMapping }, text: string): string {
    if (text === '') return '';
    return this.#delta(choice, { tool_calls: [{ index, ...textDeltaOf(form, text) }] });
  }

  #finish(choice: number, reason: FinishReason): string {
    let text = this.#begin(choice);
    // Clients parse arguments, and an empty text is not JSON.
    for (const call of this.#empty.values()) {
      if (call.choice === choice) text += this.#delta(choice, { tool_calls: [{ index: call.index, function: { arguments: '{}' } }] });
    }
    for (const call of this.#texts.values()) if (call.choice === choice) text += this.#textOf(call, call.reader.end().rest);
    const logprobs = this.#takeLogprobs(choice, false);
    return text + this.#event({ choices: [{ index: choice, delta: {}, ...logprobs, finish_reason: writeFinishReason(reason) }] });
  }

  #event(rest: Json): string {
    return `${this.#eventHead()}${JSON.stringify(rest).slice(1)}\n\n`;
  }

  #eventHead(): string {
    if (this.#head === null) {
      const head = { id: this.#id, object: 'chat.completion.chunk', created: this.#createdAt, model: this.#model };
      this.#head = `data: ${JSON.stringify(head).slice(0, -1)},`;
    }
    return this.#head;
  }
}

function callKey({ choice = 0, index }: { choice?: number; index: number }): string {
  return `${choice}:${index}`;
}
