// Registry of all API surfaces.
import { anthropicSurface } from './anthropic/surface.ts';
import type { ApiSurface } from './api-surface.ts';
import { codexSurface } from './codex/surface.ts';
import { cohereSurface } from './cohere/surface.ts';
import { geminiSurface } from './gemini/surface.ts';
import { interactionsSurface } from './interactions/surface.ts';
import { openaiSurface } from './openai/surface.ts';

/** The first one is the default on paths that several share. */
export const surfaces = {
  openai: openaiSurface,
  anthropic: anthropicSurface,
  codex: codexSurface,
  gemini: geminiSurface,
  interactions: interactionsSurface,
  cohere: cohereSurface,
} satisfies Record<string, ApiSurface>;

/** Surface of unknown paths. */
export const defaultSurface: ApiSurface = surfaces.openai;

/** Surface of a request to a path that several surfaces share. */
export function surfaceOf(headers: Headers, query: URLSearchParams): ApiSurface {
  const all: readonly ApiSurface[] = Object.values(surfaces);
  return all.find((surface) => surface.isSpokenWith?.(headers, query) === true) ?? defaultSurface;
}
