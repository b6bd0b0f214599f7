// Thinking suffixes of model names.
import { isObject } from '#server/framing/loose-json.ts';
import type { ReasoningWish } from '../parts.ts';
import { limits } from './limits.ts';
import { takesLevels, writeThinking } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

interface Ending {
  /** Model name without the suffix. */
  model: string;
  wish: ReasoningWish;
  /** Share of a response's limit for thinking if the name has no budget. */
  share: number;
}

/** Applies the suffix. Explicit thinking of the client takes precedence. */
export function withThinking(body: Body, { model, wish, share }: Ending): Body {
  const name = isObject(body['generation_config']) ? 'generation_config' : 'generationConfig';
  const config = isObject(body[name]) ? body[name] : {};
  if (isObject(config['thinkingConfig']) || isObject(config['thinking_config'])) return body;
  const limit = limits.read(body);
  // Newer models take a level and choose it themselves by default.
  const isOpen = wish.isOn && wish.effort === undefined && wish.budgetTokens === undefined && !takesLevels(model);
  const requested = isOpen && limit !== undefined ? { ...wish, budgetTokens: Math.max(1, Math.floor(limit * share)) } : wish;
  const thinkingConfig = writeThinking(model, requested);
  return thinkingConfig === null ? body : { ...body, [name]: { ...config, thinkingConfig } };
}
