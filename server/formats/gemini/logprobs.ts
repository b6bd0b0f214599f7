// Log probabilities of Gemini: chosen tokens and top candidates per position. https://ai.google.dev/api/generate-content#LogprobsResult
import { isObject } from '#server/framing/loose-json.ts';
import type { LikelyToken, TokenLogprob } from '../parts.ts';

/** Skips invalid tokens. */
export function readLogprobs(result: unknown): TokenLogprob[] {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return [];
  const others: readonly unknown[] = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  return result.chosenCandidates.flatMap((chosen: unknown, index) => {
    const token = readToken(chosen);
    const place = others[index];
    const top: readonly unknown[] = isObject(place) && Array.isArray(place.candidates) ? place.candidates : [];
    return token === null ? [] : [{ ...token, top: top.map(readToken).filter((other) => other !== null) }];
  });
}

function readToken(value: unknown): LikelyToken | null {
  if (!isObject(value) || typeof value.token !== 'string' || typeof value.logProbability !== 'number') return null;
  return { token: value.token, logprob: value.logProbability, bytes: null };
}

export function writeLogprobs(tokens: readonly TokenLogprob[]): object {
  return {
    chosenCandidates: tokens.map(writeToken),
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(writeToken) })),
  };
}

function writeToken({ token, logprob }: LikelyToken): object {
  return { token, logProbability: logprob };
}
