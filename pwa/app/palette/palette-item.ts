import type { IconName } from '#pwa/ui/controls/icon.tsx';
import type { Status } from '#pwa/ui/controls/status-mark.tsx';
import { searchWords } from './search-words.ts';

/**
 * In their order; each is a heading, `palette.group.<group>`. What is known at once comes first: records that are found later do
 * not move what Enter is about to open.
 */
export const paletteGroups = [
  'recent',
  'screens',
  'actions',
  'settings',
  'models',
  'tokens',
  'channels',
  'users',
  'logs',
  'record',
] as const;
export type PaletteGroup = (typeof paletteGroups)[number];

export interface PaletteItem {
  /** Of all items; the same in every language. */
  key: string;
  group: PaletteGroup;
  icon: IconName;
  name: string;
  detail?: string;
  /** At the end of the row: a state with its word, or an amount. */
  state?: { status: Status; word: string };
  amount?: string;
  /** Where it leads: an address of this console. */
  href?: string;
  /** What it does, for those that lead nowhere. */
  act?: () => void;
  /** Of a record: what else can be done with it. */
  actions?: readonly PaletteItem[];
}

/** Whether all words that were typed are in its name or detail; without any, every item fits. */
export function fits(item: Pick<PaletteItem, 'name' | 'detail'>, typed: string): boolean {
  const text = `${item.name} ${item.detail ?? ''}`.toLowerCase();
  return wordsOf(typed).every((word) => text.includes(word));
}

/**
 * Returns screens or actions that match: first those whose name or detail has all the words, then those with matching synonyms. Each group retains
 * its order.
 */
export function called<Item extends Pick<PaletteItem, 'key' | 'name' | 'detail'>>(items: readonly Item[], typed: string): Item[] {
  const named = items.filter((item) => fits(item, typed));
  const synonymous = items.filter((item) => !named.includes(item) && wordsOf(typed).every((word) => isWordFor(item, word)));
  return [...named, ...synonymous];
}

function isWordFor(item: Pick<PaletteItem, 'key' | 'name' | 'detail'>, typed: string): boolean {
  // A single letter begins too many words.
  const isSelective = typed.length > 1 || !isLatin.test(typed);
  return (
    fits(item, typed) ||
    (isSelective &&
      wordsOf(searchWords[item.key] ?? '').some((word) => word.startsWith(typed) || (!isLatin.test(typed) && word.includes(typed))))
  );
}

const isLatin = /^[\x20-\x7e]*$/;

/** A text in pieces: those that were typed are marked. */
export function marked(text: string, typed: string): { piece: string; isMarked: boolean }[] {
  const words = wordsOf(typed);
  const lower = text.toLowerCase();
  const pieces: { piece: string; isMarked: boolean }[] = [];
  let at = 0;
  // Some letters change their length with their case: their texts are left whole.
  while (at < text.length && lower.length === text.length) {
    const next = words
      .map((word) => ({ start: lower.indexOf(word, at), length: word.length }))
      .filter(({ start }) => start !== -1)
      .sort((one, other) => one.start - other.start || other.length - one.length)[0];
    if (next === undefined) break;
    if (next.start > at) pieces.push({ piece: text.slice(at, next.start), isMarked: false });
    pieces.push({ piece: text.slice(next.start, next.start + next.length), isMarked: true });
    at = next.start + next.length;
  }
  if (at < text.length) pieces.push({ piece: text.slice(at), isMarked: false });
  return pieces;
}

export interface Typed {
  /** `>` searches actions alone, `#` the record with a number. */
  kind: 'any' | 'actions' | 'id';
  text: string;
}

export function readTyped(typed: string): Typed {
  const text = typed.trim();
  if (text.startsWith('>')) return { kind: 'actions', text: text.slice(1).trim() };
  if (/^#\d{1,15}$/.test(text)) return { kind: 'id', text: text.slice(1) };
  return { kind: 'any', text };
}

/**
 * Records of a search, as far as they may be offered for what is typed now: while its own answer is on its way, those of the
 * search before that still fit. Enter must not open what was looked for earlier.
 */
export function recordsFor(typed: Typed, found: readonly PaletteItem[], isAnswered: boolean): PaletteItem[] {
  if (typed.kind === 'actions' || typed.text === '') return [];
  if (isAnswered) return [...found];
  return typed.kind === 'id' ? [] : found.filter((item) => fits(item, typed.text));
}

/**
 * The record whose actions stand below what was found: the chosen one, or the one that an action is chosen of; else the first.
 */
export function subjectOf(records: readonly PaletteItem[], chosen: string | undefined): PaletteItem | undefined {
  const of = records.find(({ key, actions }) => key === chosen || actions?.some((action) => action.key === chosen) === true);
  return of ?? records[0];
}

function wordsOf(typed: string): string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}
