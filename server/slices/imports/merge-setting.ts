// Maps of prices and groups that have values here get the entries of models and groups that have none here.
import { type SettingKey } from '#shared/settings.ts';
import { groupSettings } from '#server/settings/group-moves.ts';
import { modelPriceKeys } from '#shared/model-price-keys.ts';
import { objectOf, parsedJson } from './sources/row-values.ts';

/** Entries are named `input>200000:model`, `batch:model`, `720p:model`. */
const prefixedPrices: ReadonlySet<SettingKey> = new Set<SettingKey>(['LongInputPrice', 'TierPrice', 'VideoPrice']);
const modelPrices: ReadonlySet<SettingKey> = new Set<SettingKey>(modelPriceKeys);
const groups: ReadonlySet<SettingKey> = new Set<SettingKey>(groupSettings);

/** Names that have values here: their entries stay as they are, in every map. */
export interface NamesHere {
  models: ReadonlySet<string>;
  groups: ReadonlySet<string>;
}

/** The stored map with the entries that are new. Undefined if the setting is no such map, or if nothing is new. */
export function mergedText({ key, text }: { key: SettingKey; text: string }, stored: string, names: NamesHere): string | undefined {
  const wanted = objectOf(parsedJson(text));
  const here = objectOf(parsedJson(stored.trim() === '' ? '{}' : stored));
  if (wanted === null || here === null) return undefined;
  const isKnown = (name: string): boolean => {
    if (groups.has(key)) return names.groups.has(name);
    if (modelPrices.has(key)) return names.models.has(name);
    return !prefixedPrices.has(key) || names.models.has(name.slice(name.indexOf(':') + 1));
  };
  const added = Object.entries(wanted).filter(([name]) => !Object.hasOwn(here, name) && !isKnown(name));
  return added.length === 0 ? undefined : JSON.stringify({ ...here, ...Object.fromEntries(added) });
}
