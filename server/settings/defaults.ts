// Defaults that are too large for the console's bundle, and the price tables that are not settings.
import cacheRatio from './data/cache-ratio.json' with { type: 'json' };
import completionRatio from './data/completion-ratio.json' with { type: 'json' };
import cacheCreationRatio from './data/create-cache-ratio.json' with { type: 'json' };
import groupRatio from './data/group-ratio.json' with { type: 'json' };
import modelPrice from './data/model-price.json' with { type: 'json' };
import modelRatio from './data/model-ratio.json' with { type: 'json' };
import usableGroups from './data/usable-groups.json' with { type: 'json' };
import type { NumberMap } from '#shared/setting-values.ts';
import { settings } from '#shared/settings.ts';
import type { SettingKey } from '#shared/settings.ts';

const large: Partial<Record<SettingKey, string>> = {
  ModelRatio: JSON.stringify(modelRatio),
  ModelPrice: JSON.stringify(modelPrice),
  CacheRatio: JSON.stringify(cacheRatio),
  CompletionRatio: JSON.stringify(completionRatio),
  GroupRatio: JSON.stringify(groupRatio),
  TopupGroupRatio: JSON.stringify(groupRatio),
  UserUsableGroups: JSON.stringify(usableGroups),
};

/** The text that a setting has until somebody changes it. */
export function defaultText(key: SettingKey): string {
  const text = settings[key].defaultText ?? large[key];
  if (text === undefined) throw new Error(`The setting ${key} has no default`);
  return text;
}

/** What writing a token into the provider's cache costs, as a factor of the model ratio. Not a setting. */
export const cacheCreationRatios: NumberMap = Object.assign(Object.create(null), cacheCreationRatio);
