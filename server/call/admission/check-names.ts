// Checks the names in a body: each must be unique in its object, and names that affect the cost must be spelled exactly, so
// that every parser reads the same.
import { fieldRules } from '#shared/field-rules.ts';
import type { CriticalMembers } from '#server/formats/critical-members.ts';
import { seenByName, seenName, type SeenNames } from '#server/formats/seen-names.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { writtenNames } from '#server/framing/written-names.ts';
import type { RawBody } from '#server/http/read-body.ts';

type Members = Pick<RawBody, 'members' | 'hasEscapedNames'>;

/**
 * Checks the names and returns those that the body may have.
 * @throws {AppError} `invalid_request` with the name
 */
export function checkNames(value: unknown, text: string, { members, hasEscapedNames }: Members, names: CriticalMembers): SeenNames {
  const { count, seen } = scanNames(value, names);
  // Duplicate names are one member of the parsed value, so the counts differ.
  if (count !== members || hasEscapedNames) checkWritten(text, names);
  return seen;
}

/**
 * Returns the number of names.
 * @throws {AppError} for a misspelled name
 */
export function countNames(value: unknown, names: CriticalMembers): number {
  return scanNames(value, names).count;
}

/** @throws {AppError} for a misspelled name */
function scanNames(value: unknown, { exact, opaque, intended }: CriticalMembers): { count: number; seen: SeenNames } {
  let count = 0;
  let seen: SeenNames = 0;
  // Not recursive, for speed. Below opaque and unrelated names, names are only counted.
  const left: unknown[] = [value];
  let unread: unknown[] | undefined;
  while (left.length > 0) {
    const part = left.pop();
    if (Array.isArray(part)) {
      for (let index = 0; index < part.length; index += 1) {
        const item: unknown = part[index];
        if (typeof item === 'object' && item !== null) left.push(item);
      }
      continue;
    }
    if (!isObject(part)) continue;
    for (const name in part) {
      const item = part[name];
      const isCritical = exact.has(name);
      count += 1;
      seen |= seenByName.get(name) ?? 0;
      if (!isCritical) checkSpelling(name, intended);
      if (typeof item !== 'object' || item === null) continue;
      if (isCritical && !opaque.has(name)) left.push(item);
      else (unread ??= []).push(item);
    }
  }
  if (unread === undefined) return { count, seen };
  return { count: count + countUnread(unread), seen: seen | seenName.cache };
}

/** Returns the number of names below the values. */
function countUnread(left: unknown[]): number {
  let count = 0;
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    const items: unknown[] = Object.values(part);
    if (!Array.isArray(part)) count += items.length;
    for (const item of items) if (typeof item === 'object' && item !== null) left.push(item);
  }
  return count;
}

function checkSpelling(name: string, intendedBy: CriticalMembers['intended']): void {
  const intended = intendedBy(name);
  if (intended !== undefined && intended !== name) throw badField(shown(name), fieldRules.spelled(intended));
}

/**
 * Checks the names in the text itself, which is rarely necessary.
 * @throws {AppError} for a duplicate or misspelled name
 */
function checkWritten(text: string, names: CriticalMembers): void {
  for (const { name, isRepeated, isEscaped } of writtenNames(text)) {
    if (isRepeated) throw badField(shown(name), fieldRules.standsOnce);
    // A parser that does not decode escapes would read another name.
    if (isEscaped && names.intended(name) !== undefined) throw badField(shown(name), fieldRules.unescaped);
  }
}

const longestShown = 100;

/** Shortens a name for messages and headers: callers choose names. */
function shown(name: string): string {
  return name.slice(0, longestShown).replace(/\p{Cc}/gu, '?');
}
