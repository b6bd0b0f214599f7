// The thread that counts tokens. The tables are loaded on first use: most installations never need them.
import { parentPort } from 'node:worker_threads';
import type { CountReply, CountRequest, Encoding } from './token-estimate.ts';

/** The tokenizer needs quadratic time for one unbroken run: 200 KB of one letter would take 22 s. */
const longestRun = 300;
const unbroken = new RegExp(`\\S{${longestRun}}|\\s{${longestRun}}`, 'g');

type Count = (text: string) => number;
const counters: Partial<Record<Encoding, Count>> = {};

async function counterFor(encoding: Encoding): Promise<Count> {
  const known = counters[encoding];
  if (known !== undefined) return known;
  // Texts of clients are never special tokens, whatever they contain.
  const plain = { disallowedSpecial: new Set<string>() };
  const { countTokens } =
    encoding === 'o200k_base' ? await import('gpt-tokenizer/encoding/o200k_base') : await import('gpt-tokenizer/encoding/cl100k_base');
  return (counters[encoding] = (text) => countTokens(text, plain));
}

function count(text: string, counter: Count): number {
  return counter(text.replace(unbroken, (run) => run + (run.trim() === '' ? '.' : ' ')));
}

parentPort?.on('message', async ({ id, encoding, texts }: CountRequest) => {
  let reply: CountReply;
  try {
    const counter = await counterFor(encoding);
    reply = { id, tokens: texts.reduce((sum, text) => sum + count(text, counter), 0) };
  } catch {
    reply = { id, tokens: null };
  }
  parentPort?.postMessage(reply);
});
