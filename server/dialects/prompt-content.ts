// What of a request counts as prompt tokens: its texts, and fixed numbers for everything else.
import type { CacheWriteClass } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';

export interface PromptContent {
  texts: string[];
  /** Tokens of framing, images, audio and files. */
  fixed: number;
  /** Those of images, audio and files alone: a guess, since nobody looks into them. */
  media: number;
  /** The caller asks the provider to keep parts of it in its cache, and for how long at most. Null: it does not. */
  cacheWrite: CacheWriteClass | null;
  /** Of the tokens of media: audio. */
  audio: number;
  /** The response may be spoken. */
  isSpoken: boolean;
}

export function emptyPrompt(): PromptContent {
  return { texts: [], fixed: 0, media: 0, cacheWrite: null, audio: 0, isSpoken: false };
}

/** To be called with every part of a request that may have a `cache_control`. */
export function noteCacheControl(prompt: PromptContent, { cache_control: control }: Readonly<Record<string, unknown>>): void {
  if (!isObject(control)) return;
  if (control.ttl === '1h') prompt.cacheWrite = 'cacheWrite1h';
  else prompt.cacheWrite ??= 'cacheWrite5m';
}
