import type { SettingKey } from '#shared/settings.ts';

/** Settings with one number for each model. Those of tiers, videos and long inputs name more than models. */
export const modelPriceKeys = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'CreateCache1hRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'AudioCacheRatio',
  'ImageRatio',
  'ImageCompletionRatio',
] as const satisfies readonly SettingKey[];
