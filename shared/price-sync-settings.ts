// Settings of price syncs and of the public price list. Address and token direct outbound requests, so only root changes them.
import {
  booleanSetting,
  choiceSetting,
  commaListSetting,
  integerSetting,
  numberSetting,
  textSetting,
  urlSetting,
} from '#shared/setting-values.ts';

const root = { write: 'root' } as const;

/** Kinds of prices that a sync may change. */
export const priceSyncFields = ['text', 'cache', 'audio', 'image', 'call', 'video', 'long', 'tier', 'tool', 'tuning'] as const;
export type PriceSyncField = (typeof priceSyncFields)[number];

export const priceSyncSettings = {
  /** Address of a price catalogue; empty: none. */
  PriceSyncUrl: urlSetting('', root),
  /** Bearer token of the catalogue. */
  PriceSyncToken: textSetting('', { ...root, secret: true }),
  /** Hours between scheduled syncs; 0: by hand only. */
  PriceSyncHours: integerSetting(0, { min: 0, max: 8760 }),
  /** Models that are compared: those that channels offer or callers requested, those too that have a price, or the whole catalogue. */
  PriceSyncModels: choiceSetting('offered', ['offered', 'priced', 'all']),
  PriceSyncFields: commaListSetting(priceSyncFields, (name) => name.toLowerCase()),
  /** Models that no sync touches; `*` at the end stands for any ending. */
  PriceSyncExcept: commaListSetting([]),
  /** Providers of the catalogue whose price counts if several offer a model, the first first. */
  PriceSyncProviders: commaListSetting(
    [
      'anthropic',
      'openai',
      'google',
      'gemini',
      'xai',
      'deepseek',
      'mistral',
      'moonshotai',
      'moonshot',
      'zai',
      'zhipuai',
      'minimax',
      'alibaba',
      'dashscope',
      'cohere',
      'cohere_chat',
      'perplexity',
      'volcengine',
      'groq',
      'vertex_ai',
      'azure',
      'bedrock',
    ],
    (name) => name.toLowerCase(),
  ),
  /** Changes that are applied without a review, within the guard: none, prices of models without one, or all. */
  PriceSyncApply: choiceSetting('none', ['none', 'new', 'all']),
  /** Percent by which a price may move without a review. */
  PriceSyncGuardPercent: numberSetting(20, { min: 0, max: 10_000 }),
  /** Whether anybody may download the price list in Tidegate's format. */
  PriceListPublic: booleanSetting(false),
};
