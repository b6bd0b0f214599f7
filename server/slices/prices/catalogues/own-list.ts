// Tidegate's own format: the price maps by the names of their settings, with the quota of a US dollar that their ratios are relative to.
import type { NumberMap } from '#shared/setting-values.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { Settings } from '#server/settings/settings.ts';
import { settings as catalogue } from '#shared/settings.ts';
import { byPriceKey, isPriceKey, type PriceKey, priceKeys } from '../price-lines.ts';
import { isModelName, type OwnList } from './catalogue.ts';

export const ownFormat = 'tidegate-prices';

/** The price list of this installation. @param at unix seconds */
export function ownDocument(settings: Pick<Settings, 'get'>, at: number): JsonObject {
  const maps = byPriceKey((key) =>
    Object.fromEntries(Object.entries(settings.get(key)).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  );
  return { format: ownFormat, version: 1, at, currency: 'USD', quota_per_unit: settings.get('QuotaPerUnit'), ...maps };
}

/** Files that the console exports have the maps alone. */
export function isOwnList(value: JsonObject): boolean {
  return value['format'] === ownFormat || Object.keys(value).some((name) => isPriceKey(name) && isObject(value[name]));
}

export function readOwnList(value: JsonObject): { list: OwnList; invalid: string[] } {
  const { quota_per_unit: unit } = value;
  const invalid: string[] = [];
  const maps: Partial<Record<PriceKey, NumberMap>> = {};
  for (const key of priceKeys) {
    const map = value[key];
    if (map === undefined) continue;
    if (isObject(map)) maps[key] = validEntries(key, map, invalid);
    else invalid.push(key);
  }
  const isUnit = typeof unit === 'number' && Number.isFinite(unit) && unit >= 1 && unit <= 1e12;
  if (unit !== undefined && !isUnit) invalid.push('quota_per_unit');
  // Ratios relative to an unknown unit mean nothing.
  return { list: { maps: unit !== undefined && !isUnit ? {} : maps, quotaPerUnit: isUnit ? unit : undefined }, invalid };
}

function validEntries(key: PriceKey, map: JsonObject, invalid: string[]): NumberMap {
  const valid: Record<string, number> = Object.create(null);
  for (const [name, value] of Object.entries(map)) {
    const isPlain = isModelName(name.replace(/\*$/, ''));
    if (isPlain && typeof value === 'number' && catalogue[key].parse(JSON.stringify({ [name]: value }), key).ok) valid[name] = value;
    else invalid.push(`${key}: ${name}`);
  }
  return valid;
}
