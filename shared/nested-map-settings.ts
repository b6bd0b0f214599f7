// Settings that are maps of maps, e.g. from group to group to factor.
import {
  isName,
  isObject,
  numberMapSetting,
  type NumberMapRules,
  parseJson,
  refuse,
  type Setting,
  type SettingOptions,
  textMapSetting,
} from '#shared/setting-values.ts';

/** Without prototypes, as other maps. */
export type NestedMap<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** `rules` are those of the inner maps; names of both are checked. */
export function nestedNumberMapSetting(rules: NumberMapRules, options: SettingOptions = {}): Setting<NestedMap<number>> {
  return nestedMapSetting(numberMapSetting(null, rules), rules.isNameAllowed, options);
}

export function nestedTextMapSetting(isNameAllowed: (name: string) => boolean, options: SettingOptions = {}): Setting<NestedMap<string>> {
  return nestedMapSetting(textMapSetting(null), isNameAllowed, options);
}

function nestedMapSetting<Value>(
  inner: Setting<Readonly<Record<string, Value>>>,
  isNameAllowed: ((name: string) => boolean) | undefined,
  options: SettingOptions,
): Setting<NestedMap<Value>> {
  return {
    ...options,
    kind: 'nested_map',
    defaultText: '{}',
    parse(text, key) {
      const json = parseJson(text, key);
      if (!json.ok) return json;
      if (!isObject(json.value)) return refuse('option_not_nested_map', { key });
      const map: Record<string, Readonly<Record<string, Value>>> = Object.create(null);
      for (const [name, value] of Object.entries(json.value)) {
        if (!isObject(value)) return refuse('option_not_nested_map', { key });
        if (!isName(name) || isNameAllowed?.(name) === false) return refuse('option_entry_name', { key, name: name.slice(0, 80) });
        const parsed = inner.parse(JSON.stringify(value), key);
        if (!parsed.ok) return parsed;
        map[name] = parsed.value;
      }
      return { ok: true, value: map };
    },
  };
}
