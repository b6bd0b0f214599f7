// Views of the log that the user named, stored on this device per account.
import { z } from 'zod/mini';
import { LogSearch } from './log-address.ts';
import { filterKeys, filtersOf } from './log-search.ts';

export const longestViewName = 40;
export const mostViews = 30;

/** Search parameters that belong to a view: the position in the list does not. */
const viewKeys = ['range', 'from', 'to', ...filterKeys] as const;
type ViewKey = (typeof viewKeys)[number];
export type ViewSearch = Pick<LogSearch, ViewKey>;

const SavedView = z.object({ name: z.string().check(z.minLength(1), z.maxLength(longestViewName)), search: LogSearch });
export interface SavedView {
  name: string;
  search: ViewSearch;
}

export function viewOf(search: LogSearch): ViewSearch {
  const { range, from, to } = search;
  return { range, from, to, ...filtersOf(search, true) };
}

/** A change that makes any address this view. */
export function changeTo(view: ViewSearch): Partial<LogSearch> {
  return { ...Object.fromEntries(viewKeys.map((key) => [key, undefined])), ...view };
}

export function isSameView(a: ViewSearch, b: ViewSearch): boolean {
  return viewKeys.every((key) => a[key] === b[key]);
}

/** What was stored by another version and is no view any more is left out. */
export function readViews(userId: number): SavedView[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(placeOf(userId)) ?? '[]');
    if (!Array.isArray(found)) return [];
    return found.flatMap((one) => {
      const { data } = SavedView.safeParse(one);
      return data === undefined ? [] : [{ name: data.name, search: viewOf(data.search) }];
    });
  } catch {
    return [];
  }
}

/** A name belongs to one view: the newest. @returns the stored views */
export function storeView(userId: number, view: SavedView): SavedView[] {
  const name = view.name.trim().slice(0, longestViewName);
  if (name === '') return readViews(userId);
  return store(
    userId,
    [{ name, search: viewOf(view.search) }, ...readViews(userId).filter((one) => one.name !== name)].slice(0, mostViews),
  );
}

export function dropView(userId: number, name: string): SavedView[] {
  return store(
    userId,
    readViews(userId).filter((one) => one.name !== name),
  );
}

function store(userId: number, views: SavedView[]): SavedView[] {
  try {
    localStorage.setItem(placeOf(userId), JSON.stringify(views));
  } catch {
    // No room, or none allowed: the views stay as they were.
    return readViews(userId);
  }
  return views;
}

function placeOf(userId: number): string {
  return `log-views:${userId}`;
}
