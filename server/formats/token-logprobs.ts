// Reads and writes log probabilities in OpenAI's formats.
import { isObject } from '#server/framing/loose-json.ts';
import type { LikelyToken, TokenLogprob } from './parts.ts';

/** Reads the tokens; invalid ones are skipped. */
export function readLogprobs(value: unknown): TokenLogprob[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const token = readToken(item);
    const others: readonly unknown[] = isObject(item) && Array.isArray(item.top_logprobs) ? item.top_logprobs : [];
    return token === null ? [] : [{ ...token, top: others.map(readToken).filter((other) => other !== null) }];
  });
}

function readToken(value: unknown): LikelyToken | null {
  if (!isObject(value) || typeof value.token !== 'string' || typeof value.logprob !== 'number') return null;
  const { token, logprob, bytes } = value;
  return { token, logprob, bytes: Array.isArray(bytes) && bytes.every((byte) => typeof byte === 'number') ? bytes : null };
}

/** Writes the tokens. Unknown `bytes`, which are required, are the UTF-8 of the text. */
export function writeLogprobs(tokens: readonly TokenLogprob[]): object[] {
  return tokens.map(({ top, ...token }) => ({ ...writeToken(token), top_logprobs: top.map(writeToken) }));
}

function writeToken({ token, logprob, bytes }: LikelyToken): object {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}
