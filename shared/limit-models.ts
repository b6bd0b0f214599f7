// Models that a rate limit or a budget concerns.
import { z } from 'zod/mini';

/** Names of models, each with at most one `*`, at its end. Absent: all models. */
export const LimitedModels = z.array(z.string().check(z.regex(/^[^*,\s]{0,199}[^,\s]$/))).check(z.minLength(1), z.maxLength(50));
/** Groups of callers. Absent: all groups. */
export const LimitedGroups = z.array(z.string().check(z.minLength(1), z.maxLength(64))).check(z.minLength(1), z.maxLength(50));

/**
 * Characters of a list's JSON in one record. Lists of records carry it, and keys in use hold it in memory: without a bound, the tokens of one account take
 * half a megabyte each.
 */
const longestList = 20_000;

export function isShortList(list: unknown): boolean {
  return JSON.stringify(list).length <= longestList;
}

/** Characters of a list of a member of an organisation: pages have a hundred members. */
const longestMemberList = 4000;

export function isShortMemberList(list: unknown): boolean {
  return JSON.stringify(list).length <= longestMemberList;
}

/** What a limit of the whole site counts: calls of each user, of each token, or of all callers together. */
export const countedBy = ['user', 'token', 'all'] as const;
export type CountedBy = (typeof countedBy)[number];

export function concernsModel(models: readonly string[] | undefined, model: string): boolean {
  return models === undefined || models.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model));
}
