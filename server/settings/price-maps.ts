// Price maps of the settings.
import type { PriceMaps } from '#shared/find-price.ts';
import type { SettingKey } from '#shared/settings.ts';
import type { Settings } from './settings.ts';

/** Map names and their settings. */
export const priceSettings = [
  ['modelPrice', 'ModelPrice'],
  ['modelRatio', 'ModelRatio'],
  ['completionRatio', 'CompletionRatio'],
  ['cacheRatio', 'CacheRatio'],
  ['cacheCreationRatio', 'CreateCacheRatio'],
  ['cacheCreation1hRatio', 'CreateCache1hRatio'],
  ['audioRatio', 'AudioRatio'],
  ['audioCompletionRatio', 'AudioCompletionRatio'],
  ['audioCacheRatio', 'AudioCacheRatio'],
  ['imageRatio', 'ImageRatio'],
  ['imageCompletionRatio', 'ImageCompletionRatio'],
  ['longInputPrice', 'LongInputPrice'],
  ['tierPrice', 'TierPrice'],
  ['videoPrice', 'VideoPrice'],
] as const satisfies readonly (readonly [keyof PriceMaps, SettingKey])[];

export function priceMapsOf(settings: Pick<Settings, 'get'>): Required<PriceMaps> {
  return {
    modelPrice: settings.get('ModelPrice'),
    modelRatio: settings.get('ModelRatio'),
    completionRatio: settings.get('CompletionRatio'),
    cacheRatio: settings.get('CacheRatio'),
    cacheCreationRatio: settings.get('CreateCacheRatio'),
    cacheCreation1hRatio: settings.get('CreateCache1hRatio'),
    audioRatio: settings.get('AudioRatio'),
    audioCompletionRatio: settings.get('AudioCompletionRatio'),
    audioCacheRatio: settings.get('AudioCacheRatio'),
    imageRatio: settings.get('ImageRatio'),
    imageCompletionRatio: settings.get('ImageCompletionRatio'),
    longInputPrice: settings.get('LongInputPrice'),
    tierPrice: settings.get('TierPrice'),
    videoPrice: settings.get('VideoPrice'),
  };
}
