// Values of settings, groups and prices as they are stored, compared by what they mean.
import { type SettingKey, settings } from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { optionText, type Settings } from '#server/settings/settings.ts';

/** Entries of a JSON object, and nothing that every object has; none of another text. */
export function objectOf(text: string): Record<string, unknown> {
  return copyOf(parseObject(text) ?? {});
}

export function copyOf(entries: object): Record<string, unknown> {
  return Object.assign<Record<string, unknown>, object>(Object.create(null), entries);
}

/** Stored text of a setting, or its default. Empty if a secret cannot be read. */
export function textOf(rows: ReadonlyMap<string, OptionRecord>, key: SettingKey, { secrets }: Pick<AppContext, 'secrets'>): string {
  const row = rows.get(key);
  if (row === undefined) return defaultText(key);
  try {
    return optionText(row, secrets);
  } catch {
    return '';
  }
}

/** Reports whether two texts mean the same value. */
export function isSameText(key: SettingKey, one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right] = [one, other].map((text) => settings[key].parse(text, key));
  return left?.ok === true && right?.ok === true && isSameValue(left.value, right.value);
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** JSON with sorted names; order has no meaning in maps. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`)
    .join(',')}}`;
}

/** The settings with other texts of some. */
export function settingsWith({ settings: current }: AppContext, texts: ReadonlyMap<SettingKey, string>): Settings {
  return {
    basePath: current.basePath,
    revision: current.revision,
    groupMoves: current.groupMoves,
    managed: current.managed,
    reload: () => current.reload(),
    onChange: (listener) => current.onChange(listener),
    get(key) {
      const text = texts.get(key);
      const parsed = text === undefined ? undefined : settings[key].parse(text, key);
      return parsed?.ok === true ? parsed.value : current.get(key);
    },
  };
}
