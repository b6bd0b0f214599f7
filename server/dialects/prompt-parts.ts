// What of a request counts as prompt tokens: its texts, and fixed numbers for everything else.
import type { CacheWriteClass } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';

export interface PromptParts {
  texts: string[];
  /** Tokens of framing, images, audio and files. */
  fixed: number;
  /** Those of images, audio and files alone: a guess, since nobody looks into them. */
  media: number;
  /** The caller asks the provider to keep parts of it in its cache, and for how long at most. Null: it does not. */
  cacheWrite: CacheWriteClass | null;
}

/** To be called with every part of a request that may have a `cache_control`. */
export function noteCacheControl(parts: PromptParts, { cache_control: control }: Readonly<Record<string, unknown>>): void {
  if (!isObject(control)) return;
  if (control.ttl === '1h') parts.cacheWrite = 'cacheWrite1h';
  else parts.cacheWrite ??= 'cacheWrite5m';
}
