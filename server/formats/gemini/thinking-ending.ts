// Model names whose ending says how much the model shall think.
import { isObject } from '#server/framing/loose-json.ts';
import type { ReasoningWish } from '../parts.ts';
import { limits } from './limits.ts';
import { takesLevels, writeThinking } from './thinking.ts';

type Body = Readonly<Record<string, unknown>>;

interface Ending {
  /** Without its ending. */
  model: string;
  wish: ReasoningWish;
  /** Of a response's limit that thoughts may take where the name names no budget. */
  share: number;
}

/** The body for such a name. A client that has said itself how much to think is left alone. */
export function withThinking(body: Body, { model, wish, share }: Ending): Body {
  const name = isObject(body['generation_config']) ? 'generation_config' : 'generationConfig';
  const config = isObject(body[name]) ? body[name] : {};
  if (isObject(config['thinkingConfig']) || isObject(config['thinking_config'])) return body;
  const limit = limits.read(body);
  // Newer ones are told a level, and choose it themselves otherwise.
  const isOpen = wish.isOn && wish.effort === undefined && wish.budgetTokens === undefined && !takesLevels(model);
  const requested = isOpen && limit !== undefined ? { ...wish, budgetTokens: Math.max(1, Math.floor(limit * share)) } : wish;
  const thinkingConfig = writeThinking(model, requested);
  return thinkingConfig === null ? body : { ...body, [name]: { ...config, thinkingConfig } };
}
