// How many tokens a text has: roughly and at once for reservations, exactly and in a thread of its own where an upstream
// reports no usage. The tokenizer's tables never load in the thread that serves calls.
import { Worker } from 'node:worker_threads';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import { TokenQueue } from './token-queue.ts';

export type Encoding = 'o200k_base' | 'cl100k_base';

export type WorkerRequest = { id: number; encoding: Encoding } & (
  | { task: 'count'; texts: readonly string[] }
  | { task: 'decode'; lists: readonly (readonly number[])[] }
);

/** Null: it could not be done. */
export interface WorkerReply {
  id: number;
  /** Tokens, or texts. */
  result: number | readonly string[] | null;
}

/** A prompt that is estimated at n tokens has at most n times this: below a threshold divided by it, nothing has to be counted. */
export const mostTokensPerEstimated = 4;

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

/** For whom something is counted, and whether all of it could be. */
export interface Counting {
  /** Id of the user, whose turn it takes. */
  readonly owner: number;
  /** Set when something had to be estimated. */
  isEstimated: boolean;
}

/** Prompt tokens by the tokenizer, of what was taken out of a request. Never rejects: what cannot be counted is estimated. */
export async function countPrompt({ texts, fixed }: PromptContent, model: string, counting: Counting): Promise<number> {
  return fixed + (await countTexts(texts, model, counting));
}

/** Tokens of a text by the tokenizer. Never rejects: what cannot be counted is estimated. */
export function countText(text: string, model: string, counting: Counting): Promise<number> {
  return countTexts([text], model, counting);
}

/** The texts of tokens of that model. Null: some of them do not exist, or it took too long. */
export async function decodeTokens(lists: readonly (readonly number[])[], model: string): Promise<readonly string[] | null> {
  const result = await requestWorker({ task: 'decode', encoding: encodingOf(model), lists });
  return typeof result === 'object' ? result : null;
}

/** OpenAI's models since gpt-4o have the larger table; every other vendor is counted like the older ones. */
export function encodingOf(model: string): Encoding {
  return factsOf(model)?.encoding ?? 'cl100k_base';
}

async function countTexts(texts: readonly string[], model: string, counting: Counting): Promise<number> {
  const { tokens, isEstimated } = await queue.count({ owner: counting.owner, encoding: encodingOf(model), texts });
  if (isEstimated) counting.isEstimated = true;
  return tokens;
}

const queue = new TokenQueue<Encoding>({ count: countInWorker, estimate: estimateTextTokens });

/** A slice takes milliseconds, and the first one as long as the tables take to load. */
const sliceMs = 20_000;

let worker: Worker | undefined;
let lastId = 0;
/** What the thread is asked at present, by id: one count, and texts that callers wait for. */
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
  // Counting alone keeps no process alive.
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

/** Nobody waits any longer: counts that are still wanted are estimated. A thread that is at work ends; an idle one keeps its tables and no process alive. */
export async function abandonCounts(): Promise<void> {
  const busy = requested.size > 0 ? worker : undefined;
  if (busy !== undefined) worker = undefined;
  queue.close();
  answerAll();
  await busy?.terminate();
}
