// Fields of groups and prices in a document, and the settings whose maps hold them.
import type { SettingKey } from '#shared/settings.ts';
import type { DescribedGroup, DescribedPrice } from './document.ts';

export interface MapField<Value> {
  key: SettingKey;
  field: Extract<keyof Value, string>;
}

export const groupFields: readonly MapField<DescribedGroup>[] = [
  { key: 'GroupRatio', field: 'ratio' },
  { key: 'UserUsableGroups', field: 'usable' },
  { key: 'TopupGroupRatio', field: 'topup_ratio' },
  { key: 'GroupGroupRatio', field: 'ratios' },
  { key: 'group_ratio_setting.group_special_usable_group', field: 'special_usable' },
];

export const priceFields: readonly MapField<DescribedPrice>[] = [
  { key: 'ModelPrice', field: 'model_price' },
  { key: 'ModelRatio', field: 'model_ratio' },
  { key: 'CompletionRatio', field: 'completion_ratio' },
  { key: 'CacheRatio', field: 'cache_ratio' },
  { key: 'CreateCacheRatio', field: 'create_cache_ratio' },
  { key: 'CreateCache1hRatio', field: 'create_cache_1h_ratio' },
  { key: 'AudioRatio', field: 'audio_ratio' },
  { key: 'AudioCompletionRatio', field: 'audio_completion_ratio' },
  { key: 'AudioCacheRatio', field: 'audio_cache_ratio' },
  { key: 'ImageRatio', field: 'image_ratio' },
  { key: 'ImageCompletionRatio', field: 'image_completion_ratio' },
];
