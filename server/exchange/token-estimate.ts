// Token counts of texts: rough and immediate for reservations; exact, in a worker thread, if an upstream reports no
// usage. The tokenizer's tables never load in the main thread.
import { Worker } from 'node:worker_threads';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import { TokenQueue } from './token-queue.ts';

export type Encoding = 'o200k_base' | 'cl100k_base';

export type WorkerRequest = { id: number; encoding: Encoding } & (
  | { task: 'count'; texts: readonly string[] }
  | { task: 'decode'; lists: readonly (readonly number[])[] }
);

/** Null if it failed. */
export interface WorkerReply {
  id: number;
  /** Token count, or decoded texts. */
  result: number | readonly string[] | null;
}

/** A prompt that is estimated at n tokens has at most n times this: below a threshold divided by it, nothing has to be counted. */
export const mostTokensPerEstimated = 4;

/** Estimate for any language; reads only a sample, so its cost does not grow with the text. */
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
  // English has about four letters per token, Chinese about one character; other scripts are between.
  const share = wide / seen;
  return Math.ceil(length * (share * 1.1 + (1 - share) * 0.28));
}

/** User that something is counted for, and whether a part was estimated. */
export interface Counting {
  /** Id of the user whose share of the tokenizer is used. */
  readonly owner: number;
  /** Set to true if a part was estimated. */
  isEstimated: boolean;
}

/** Counts prompt tokens. Never rejects; falls back to an estimate. */
export async function countPrompt({ texts, fixed }: PromptContent, model: string, counting: Counting): Promise<number> {
  return fixed + (await countTexts(texts, model, counting));
}

/** Counts the tokens of a text. Never rejects; falls back to an estimate. */
export function countText(text: string, model: string, counting: Counting): Promise<number> {
  return countTexts([text], model, counting);
}

/** Decodes the model's token ids to texts. Returns null if some do not exist or it took too long. */
export async function decodeTokens(lists: readonly (readonly number[])[], model: string): Promise<readonly string[] | null> {
  const result = await requestWorker({ task: 'decode', encoding: encodingOf(model), lists });
  return typeof result === 'object' ? result : null;
}

/** OpenAI's models since gpt-4o use the larger table; other vendors are counted like older ones. */
export function encodingOf(model: string): Encoding {
  return factsOf(model)?.encoding ?? 'cl100k_base';
}

async function countTexts(texts: readonly string[], model: string, counting: Counting): Promise<number> {
  const { tokens, isEstimated } = await queue.count({ owner: counting.owner, encoding: encodingOf(model), texts });
  if (isEstimated) counting.isEstimated = true;
  return tokens;
}

/** Number of texts that wait to be counted. */
export function waitingCounts(): number {
  return queue.waiting;
}

const queue = new TokenQueue<Encoding>({ count: countInWorker, estimate: estimateTextTokens });

/** A slice takes milliseconds; the first one also loads the tables. */
const sliceMs = 20_000;

let worker: Worker | undefined;
let lastId = 0;
/** Pending requests of the worker by id: one count, and decodings that callers wait for. */
const requested = new Map<number, (result: WorkerReply['result']) => void>();

async function countInWorker(encoding: Encoding, texts: readonly string[]): Promise<number | null> {
  const result = await requestWorker({ task: 'count', encoding, texts });
  return typeof result === 'number' ? result : null;
}

type Question<Request> = Request extends unknown ? Omit<Request, 'id'> : never;

function requestWorker(question: Question<WorkerRequest>): Promise<WorkerReply['result']> {
  return new Promise((resolve) => {
    const id = ++lastId;
    const timer = setTimeout(() => void worker?.terminate(), sliceMs);
    timer.unref();
    const answer = (result: WorkerReply['result']) => {
      clearTimeout(timer);
      requested.delete(id);
      resolve(result);
    };
    requested.set(id, answer);
    try {
      worker ??= startWorker();
      const request: WorkerRequest = { ...question, id };
      worker.postMessage(request);
    } catch {
      answer(null);
    }
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL('./token-worker.ts', import.meta.url));
  // The worker must not prevent an exit.
  started.unref();
  started.on('message', ({ id, result }: WorkerReply) => requested.get(id)?.(result));
  const gone = () => {
    if (worker !== started) return;
    worker = undefined;
    answerAll();
  };
  started.on('error', gone);
  started.on('exit', gone);
  return started;
}

function answerAll(): void {
  for (const answer of requested.values()) answer(null);
}

/** Stops counting: pending counts are estimated. Ends a busy worker; an idle one stays, with its tables. */
export async function abandonCounts(): Promise<void> {
  const busy = requested.size > 0 ? worker : undefined;
  if (busy !== undefined) worker = undefined;
  queue.close();
  answerAll();
  await busy?.terminate();
}
