// Worker thread that counts tokens. Tables load on first use; most installations never need them.
import { parentPort } from 'node:worker_threads';
import type { Encoding, WorkerReply, WorkerRequest } from './token-estimate.ts';

/** The tokenizer takes quadratic time for an unbroken run: 200 KB of one letter would take 22 s. */
const longestRun = 300;
const unbroken = new RegExp(`\\S{${longestRun}}|\\s{${longestRun}}`, 'g');

interface Tokenizer {
  count(text: string): number;
  decode(tokens: readonly number[]): string;
}
const tokenizers: Partial<Record<Encoding, Tokenizer>> = {};

async function tokenizerFor(encoding: Encoding): Promise<Tokenizer> {
  const known = tokenizers[encoding];
  if (known !== undefined) return known;
  // Texts of clients are never special tokens, whatever they contain.
  const plain = { disallowedSpecial: new Set<string>() };
  const { countTokens, decode } =
    encoding === 'o200k_base' ? await import('gpt-tokenizer/encoding/o200k_base') : await import('gpt-tokenizer/encoding/cl100k_base');
  return (tokenizers[encoding] = {
    count: (text) => countTokens(text, plain),
    // Throws if a token does not exist.
    decode: (tokens) => decode(tokens),
  });
}

function count(text: string, { count: counter }: Tokenizer): number {
  return counter(text.replace(unbroken, (run) => run + (run.trim() === '' ? '.' : ' ')));
}

parentPort?.on('message', async (request: WorkerRequest) => {
  const { id, encoding } = request;
  let result: WorkerReply['result'] = null;
  try {
    const tokenizer = await tokenizerFor(encoding);
    if (request.task === 'count') result = request.texts.reduce((sum, text) => sum + count(text, tokenizer), 0);
    else result = request.lists.map((tokens) => tokenizer.decode(tokens));
  } catch {
    // The tokens do not exist, or the tables failed to load.
  }
  const reply: WorkerReply = { id, result };
  parentPort?.postMessage(reply);
});
