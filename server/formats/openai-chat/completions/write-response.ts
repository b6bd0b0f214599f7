// Writes parts as a completion or its stream.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../../client-dialect.ts';
import { markdownPicture } from '../../media.ts';
import type { FinishReason, ResponsePart, TokenLogprob } from '../../parts.ts';
import { errorEvent } from '../errors.ts';
import { keepAlive } from '../keep-alive.ts';
import { writeTokenUsage } from '../token-usage.ts';

type Json = Record<string, unknown>;

/** Options for one of several prompts: `ResponseWriterOptions.requested`. */
export interface PromptRequested {
  /** Text before the output. */
  echo?: string;
  /** Index of the prompt's first choice. */
  firstChoice?: number;
}

interface Choice {
  text: string;
  finish: string;
  logprobs: TokenLogprob[];
}

export function writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  const { echo, firstChoice } = promptRequested(options);
  const choices = new Map<number, Choice>();
  const choiceOf = (index = 0): Choice => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const choice = { text: '', finish: 'stop', logprobs: [] };
    choices.set(index, choice);
    return choice;
  };
  for (const part of parts) {
    const text = writtenText(part);
    if (text !== '') choiceOf('choice' in part ? part.choice : 0).text += text;
    else if (part.type === 'logprobs') choiceOf(part.choice).logprobs.push(...part.tokens);
    else if (part.type === 'finish') choiceOf(part.choice).finish = finishReason(part.reason);
  }
  if (choices.size === 0) choiceOf(0);
  return {
    id: `cmpl-${options.requestId}`,
    object: 'text_completion',
    created: options.createdAt,
    model: options.model,
    choices: [...choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, { text, finish, logprobs }]) => ({
        text: `${echo}${text}`,
        index: firstChoice + index,
        logprobs: logprobs.length === 0 ? null : writeLogprobs(logprobs, echo.length),
        finish_reason: finish,
      })),
    ...(usage === null ? {} : { usage: writeTokenUsage(usage) }),
  };
}

export function createStreamWriter(options: ResponseWriterOptions): StreamWriter {
  return new CompletionStreamWriter(options);
}

class CompletionStreamWriter implements StreamWriter {
  readonly #options: ResponseWriterOptions;
  readonly #echo: string;
  readonly #firstChoice: number;
  /** Text offset of the next token, by choice. */
  readonly #offsets = new Map<number, number>();
  /** Log probabilities of the next text, by choice. */
  readonly #logprobs = new Map<number, readonly TokenLogprob[]>();
  /** Finish reasons by choice, written at the end: later content cancels a reason. */
  readonly #reasons = new Map<number, FinishReason>();

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
    const { echo, firstChoice } = promptRequested(options);
    this.#echo = echo;
    this.#firstChoice = firstChoice;
  }

  write(part: ResponsePart): string {
    const choice = ('choice' in part ? part.choice : 0) ?? 0;
    const text = writtenText(part);
    if (text !== '') return this.#chunk(choice, text, null);
    if (part.type === 'logprobs') this.#logprobs.set(choice, [...(this.#logprobs.get(choice) ?? []), ...part.tokens]);
    if (part.type !== 'finish') return '';
    // The stream of one of several prompts has no end of its own.
    if (this.#options.requested !== undefined) return this.#chunk(choice, '', finishReason(part.reason));
    this.#reasons.set(choice, part.reason);
    return '';
  }

  keepAlive(): string {
    return keepAlive;
  }

  fail(error: ErrorObject): string {
    return errorEvent(error);
  }

  end(usage: TokenUsage | null): string {
    if (this.#reasons.size === 0) this.#reasons.set(0, 'stop');
    const finish = [...this.#reasons].map(([choice, reason]) => this.#chunk(choice, '', finishReason(reason))).join('');
    const reported = this.#options.wantsUsage && usage !== null ? this.#event({ choices: [], usage: writeTokenUsage(usage) }) : '';
    return `${finish}${reported}data: [DONE]\n\n`;
  }

  #chunk(choice: number, text: string, finish: string | null): string {
    const offset = this.#offsets.get(choice);
    const written = offset === undefined ? `${this.#echo}${text}` : text;
    const from = offset ?? this.#echo.length;
    const logprobs = this.#logprobs.get(choice);
    this.#logprobs.delete(choice);
    this.#offsets.set(choice, from + text.length);
    const reported = logprobs === undefined ? null : writeLogprobs(logprobs, from);
    return this.#event({ choices: [{ text: written, index: this.#firstChoice + choice, logprobs: reported, finish_reason: finish }] });
  }

  #event(rest: Json): string {
    const { requestId, createdAt, model } = this.#options;
    return `data: ${JSON.stringify({ id: `cmpl-${requestId}`, object: 'text_completion', created: createdAt, model, ...rest })}\n\n`;
  }
}

function promptRequested({ requested = {} }: ResponseWriterOptions): Required<PromptRequested> {
  const { echo, firstChoice } = requested;
  return { echo: typeof echo === 'string' ? echo : '', firstChoice: typeof firstChoice === 'number' ? firstChoice : 0 };
}

/** Returns the text of a part; empty for reasoning, which the format does not have. */
function writtenText(part: ResponsePart): string {
  if (part.type === 'text' || part.type === 'refusal') return part.text;
  return part.type === 'image' ? markdownPicture(part) : '';
}

function finishReason(reason: FinishReason): string {
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}

/** @param from offset of the first token in the choice's text */
function writeLogprobs(tokens: readonly TokenLogprob[], from: number): Json {
  let offset = from;
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset: tokens.map(({ token }) => {
      const at = offset;
      offset += token.length;
      return at;
    }),
  };
}
