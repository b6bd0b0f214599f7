// Completions in OpenAI's format, made from a request and a behaviour. Pure: the server is in `fake-upstream.ts`.
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';
import { isObject } from './upstream-responses.ts';

export interface CompletionRequest {
  prompts: readonly unknown[];
  model: string;
  stream: boolean;
  wantsUsage: boolean;
  maxTokens: number;
  choices: number;
  echo: boolean;
}

const refusal = (message: string, param: string): UpstreamError => ({ message, type: 'invalid_request_error', param, code: null });

export function readCompletion(body: unknown): CompletionRequest | UpstreamError {
  if (!isObject(body)) return refusal('The body is not JSON.', '');
  const { prompt, max_tokens: maxTokens = 16, n = 1, messages, stream_options: options } = body;
  if (messages !== undefined) return refusal('Unrecognized request argument supplied: messages', 'messages');
  const isTokens = Array.isArray(prompt) && prompt.every((item) => typeof item === 'number');
  if (prompt === undefined || typeof maxTokens !== 'number' || typeof n !== 'number') return refusal('Invalid value.', 'prompt');
  return {
    prompts: Array.isArray(prompt) && !isTokens ? prompt : [prompt],
    model: String(body['model']),
    stream: body['stream'] === true,
    wantsUsage: isObject(options) && options['include_usage'] === true,
    maxTokens,
    choices: n,
    echo: body['echo'] === true,
  };
}

interface Written {
  text: string;
  index: number;
  finish: 'stop' | 'length';
  tokens: number;
}

function written({ prompts, choices, echo, maxTokens }: CompletionRequest, { text = 'and the tide came in.' }: Behaviour): Written[] {
  const words = text.match(/\S+\s*/g) ?? [];
  const reported = words.slice(0, maxTokens).join('');
  return prompts.flatMap((prompt, at) =>
    Array.from({ length: choices }, (_, choice) => ({
      text: `${echo ? String(prompt) : ''}${reported}`,
      index: at * choices + choice,
      finish: words.length > maxTokens ? ('length' as const) : ('stop' as const),
      tokens: Math.min(words.length, maxTokens),
    })),
  );
}

function usageOf({ prompts }: CompletionRequest, all: readonly Written[], { usage }: Behaviour): object {
  if (isObject(usage)) return usage;
  const prompt = prompts.reduce((sum: number, one) => sum + (Array.isArray(one) ? one.length : Math.ceil(String(one).length / 4)), 0);
  const completion = all.reduce((sum, { tokens }) => sum + tokens, 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

const head = ({ model }: CompletionRequest) => ({ id: 'cmpl-up1', object: 'text_completion', created: 1_790_000_000, model });

export function completionOf(request: CompletionRequest, behaviour: Behaviour): object {
  const all = written(request, behaviour);
  const choices = all.map(({ text, index, finish }) => ({ text, index, logprobs: null, finish_reason: finish }));
  return { ...head(request), choices, ...(behaviour.usage === 'none' ? {} : { usage: usageOf(request, all, behaviour) }) };
}

export function completionChunks(request: CompletionRequest, behaviour: Behaviour): object[] {
  const all = written(request, behaviour);
  const chunks = all.flatMap(({ text, index, finish }) =>
    [...(text.match(/\S+\s*/g) ?? []).map((word) => ({ text: word, end: null })), { text: '', end: finish }].map((piece) => ({
      ...head(request),
      choices: [{ text: piece.text, index, logprobs: null, finish_reason: piece.end }],
    })),
  );
  return request.wantsUsage && behaviour.usage !== 'none'
    ? [...chunks, { ...head(request), choices: [], usage: usageOf(request, all, behaviour) }]
    : chunks;
}
