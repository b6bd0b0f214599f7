// How many tokens a text has: roughly and at once for reservations, exactly and in a thread of its own where an upstream
// reports no usage. The tokenizer's tables never load in the thread that serves calls.
import { Worker } from 'node:worker_threads';
import { promptParts } from './prompt-parts.ts';
import type { Capability } from './providers/spec.ts';

export type Encoding = 'o200k_base' | 'cl100k_base';

export interface CountRequest {
  id: number;
  encoding: Encoding;
  texts: readonly string[];
}

/** Null: it could not be counted. */
export interface CountReply {
  id: number;
  tokens: number | null;
}

/** Prompt tokens of a request, from the sizes of its texts. For reservations only. */
export function estimatePromptTokens(body: Readonly<Record<string, unknown>>, capability: Capability, model = ''): number {
  const { texts, fixed } = promptParts(body, capability, model);
  return texts.reduce((sum, text) => sum + estimateTextTokens(text), fixed);
}

/** About right for any language; looks at a sample only, so its cost does not grow with the text. */
export function estimateTextTokens(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  const step = Math.max(1, Math.floor(length / 32));
  let seen = 0;
  let wide = 0;
  for (let at = 0; at < length; at += step) {
    seen++;
    if (text.charCodeAt(at) > 0x2e7f) wide++;
  }
  // English has about four letters a token, Chinese about one sign; other scripts lie between.
  const share = wide / seen;
  return Math.ceil(length * (share * 1.1 + (1 - share) * 0.28));
}

/** Prompt tokens of a request by the tokenizer. Never rejects: what cannot be counted is estimated. */
export function countPromptTokens(body: Readonly<Record<string, unknown>>, capability: Capability, model: string): Promise<number> {
  const { texts, fixed } = promptParts(body, capability, model);
  return countTexts(texts, model).then((tokens) => tokens + fixed);
}

/** Tokens of a text by the tokenizer. Never rejects: what cannot be counted is estimated. */
export function countText(text: string, model: string): Promise<number> {
  return countTexts([text], model);
}

/** OpenAI's models since gpt-4o have the larger table; every other vendor is counted like the older ones. */
export function encodingOf(model: string): Encoding {
  return /^(gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss|chatgpt-4o|o\d)/.test(model) ? 'o200k_base' : 'cl100k_base';
}

interface Waiting {
  resolve(tokens: number): void;
  estimate: number;
}

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, Waiting>();

function countTexts(texts: readonly string[], model: string): Promise<number> {
  const counted = texts.filter((text) => text !== '');
  if (counted.length === 0) return Promise.resolve(0);
  return new Promise((resolve) => {
    const id = ++lastId;
    waiting.set(id, { resolve, estimate: counted.reduce((sum, text) => sum + estimateTextTokens(text), 0) });
    const request: CountRequest = { id, encoding: encodingOf(model), texts: counted };
    try {
      worker ??= startWorker();
      worker.postMessage(request);
    } catch {
      answer({ id, tokens: null });
    }
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL('./token-worker.ts', import.meta.url));
  // Counting alone keeps no process alive.
  started.unref();
  started.on('message', answer);
  const gone = () => {
    if (worker === started) worker = undefined;
    answerAll();
  };
  started.on('error', gone);
  started.on('exit', gone);
  return started;
}

function answer({ id, tokens }: CountReply): void {
  const call = waiting.get(id);
  waiting.delete(id);
  call?.resolve(tokens ?? call.estimate);
}

function answerAll(): void {
  for (const id of waiting.keys()) answer({ id, tokens: null });
}

/** Ends the thread; counts that are still wanted are estimated. A later count starts it again. */
export async function closeTokenCounter(): Promise<void> {
  const ended = worker;
  worker = undefined;
  answerAll();
  await ended?.terminate();
}
