// Makes any value storable: bounded texts without lone surrogates or NUL, limited depth and size. A value that cannot
// be stored would be retried for ever.

export interface StorableLimits {
  /** UTF-16 units of one text. */
  text: number;
  /** UTF-16 units of all texts and keys; later texts become empty. */
  total: number;
  /** Elements of a list, fields of an object. */
  elements: number;
  levels: number;
}

/** Returns the value itself if it is within the limits, which is usual; else a reduced copy. */
export function storable<T>(value: T, limits: StorableLimits): T {
  const walk = { limits, left: limits.total };
  // Types are preserved: a text stays a text, a list a list, an object an object with some of its fields.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return trimmed(value, walk, limits.levels) as T;
}

/** Text that every engine stores unchanged. */
export function storableText(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  const whole = cut.isWellFormed() ? cut : cut.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}

interface Walk {
  limits: StorableLimits;
  left: number;
}

function trimmed(value: unknown, walk: Walk, levels: number): unknown {
  if (typeof value === 'string') {
    const text = storableText(value, Math.max(1, Math.min(walk.limits.text, walk.left)));
    walk.left -= text.length;
    return text;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : 0;
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return null;
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0 || walk.left <= 0) return null;
  return Array.isArray(value) ? trimmedList(value, walk, levels) : trimmedObject(value, walk, levels);
}

function trimmedList(list: readonly unknown[], walk: Walk, levels: number): readonly unknown[] {
  let copy: unknown[] | null = list.length > walk.limits.elements ? list.slice(0, walk.limits.elements) : null;
  for (let index = 0; index < (copy ?? list).length; index += 1) {
    const value = Number.isFinite(list[index]) ? list[index] : trimmed(list[index], walk, levels - 1);
    if (Object.is(value, list[index])) continue;
    copy ??= [...list];
    copy[index] = value;
  }
  return copy ?? list;
}

/** Keys with a leading dollar or a dot have a special meaning in updates and paths. */
const plainKey = /^[^$.\0][^.\0]{0,99}$/;
/** Cache of plain keys: most records use the same few. */
const plainKeys = new Set<string>();
const mostPlainKeys = 1_000;

function isPlain(key: string): boolean {
  if (!plainKey.test(key) || !key.isWellFormed() || key === '__proto__') return false;
  if (plainKeys.size < mostPlainKeys) plainKeys.add(key);
  return true;
}

function trimmedObject(object: object, walk: Walk, levels: number): object {
  const keys = Object.keys(object);
  const count = Math.min(keys.length, walk.limits.elements);
  // Nothing is copied until something changes.
  let stored: [string, unknown][] | null = keys.length > count ? [] : null;
  for (let index = 0; index < count; index += 1) {
    const key = keys[index] ?? '';
    if (!plainKeys.has(key) && !isPlain(key)) {
      stored ??= entriesOf(object, keys, index);
      continue;
    }
    walk.left -= key.length;
    const value: unknown = Reflect.get(object, key);
    let next = value;
    // Fast path: nearly all members are numbers and valid texts.
    if (
      typeof value === 'string' &&
      value.length <= walk.limits.text &&
      value.length <= walk.left &&
      value.isWellFormed() &&
      !value.includes('\0')
    )
      walk.left -= value.length;
    else if (!Number.isFinite(value) && typeof value !== 'boolean') next = trimmed(value, walk, levels - 1);
    if (stored === null && !Object.is(next, value)) stored = entriesOf(object, keys, index);
    stored?.push([key, next]);
  }
  return stored === null ? object : Object.fromEntries(stored);
}

function entriesOf(object: object, keys: readonly string[], count: number): [string, unknown][] {
  return keys.slice(0, count).map((key) => [key, Reflect.get(object, key)]);
}
