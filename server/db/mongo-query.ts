// Writes filters, patches and records for MongoDB, using only operators that every compatible server supports; values
// are always operands, so none is read as an operator.
import type { IndexSpec, Stored } from '#server/db/collection.ts';
import type { Scalar } from '#server/db/fields.ts';
import { checkPath, textAfterPrefix, type AnySort, type Clause, type PatchStep } from '#server/db/filter.ts';

export type Plain = Record<string, unknown>;

export function toQuery(clause: Clause): Plain {
  switch (clause.op) {
    case 'and':
      return clause.clauses.length === 0 ? {} : { $and: clause.clauses.map(toQuery) };
    case 'or':
      return clause.clauses.length === 0 ? nothing : { $or: clause.clauses.map(toQuery) };
    case 'eq':
      return equals(clause.path, clause.value);
    case 'ne':
      if (clause.value !== null) return { [fieldOf(clause.path)]: { $ne: clause.value } };
      // `$ne: null` excludes missing fields, too.
      return { $or: [{ [fieldOf(clause.path)]: { $ne: null } }, { [fieldOf(clause.path)]: { $exists: false } }] };
    case 'in': {
      const values = clause.values.filter((value) => value !== null);
      const listed = { [fieldOf(clause.path)]: { $in: values } };
      return values.length === clause.values.length ? listed : { $or: [listed, equals(clause.path, null)] };
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { [fieldOf(clause.path)]: { [`$${clause.op}`]: clause.value } };
    case 'unindexedEq':
      return { [fieldOf(clause.path)]: { $gte: clause.value, $lte: clause.value } };
    case 'startsWith': {
      const after = textAfterPrefix(clause.value);
      return { [fieldOf(clause.path)]: after === undefined ? { $gte: clause.value } : { $gte: clause.value, $lt: after } };
    }
    case 'contains':
      return { [fieldOf(clause.path)]: { $regex: literalPattern(clause.value) } };
    case 'exists':
      return { [fieldOf(clause.path)]: { $exists: clause.value } };
  }
}

/** Matches no record. */
const nothing: Plain = { _id: { $in: [] } };

function equals(path: string, value: Scalar): Plain {
  // A plain null would match missing fields, too.
  return { [fieldOf(path)]: value === null ? { $eq: null, $exists: true } : { $eq: value } };
}

/**
 * Escapes the text, matching both cases of ASCII letters only (the option `i` folds all). MongoDB rejects patterns with
 * an unescaped null character.
 */
function literalPattern(text: string): string {
  return text.replace(/[a-zA-Z]|[\0\\^$.*+?()[\]{}|/#-]/g, (character) => {
    if (character === '\0') return '\\x00';
    return /[a-zA-Z]/.test(character) ? `[${character.toLowerCase()}${character.toUpperCase()}]` : `\\${character}`;
  });
}

export function fieldOf(path: string): string {
  return path === 'id' ? '_id' : checkPath(path);
}

export function toUpdate(steps: readonly PatchStep[]): Plain {
  const update: Record<string, Plain> = {};
  for (const step of steps) {
    if (step.op === 'unset') (update['$unset'] ??= {})[step.path] = '';
    else (update[step.op === 'increment' ? '$inc' : `$${step.op}`] ??= {})[step.path] = step.value;
  }
  return update;
}

/**
 * Applies the patch to the row returned from before the update. If requested after the update, some compatible servers
 * read the row again, including concurrent changes.
 */
export function patchedRow(row: Row, steps: readonly PatchStep[]): Row {
  for (const step of steps) {
    const keys = step.path.split('.');
    const last = keys.pop() ?? '';
    let parent: Plain = row;
    for (const key of keys) {
      const next = parent[key];
      const child: Plain = isPlain(next) ? next : {};
      // Unsetting a missing field creates nothing.
      if (child !== next && step.op !== 'unset') parent[key] = child;
      parent = child;
    }
    const before = parent[last];
    if (step.op === 'unset') delete parent[last];
    else if (step.op === 'set') parent[last] = JSON.parse(JSON.stringify(step.value));
    else if (typeof before !== 'number') parent[last] = step.value;
    else parent[last] = step.op === 'increment' ? before + step.value : Math.max(before, step.value);
  }
  return row;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toSort(sort: AnySort): [string, 1 | -1][] {
  return sort.map(([path, direction]) => [fieldOf(path), direction]);
}

export function toIndexKey(index: IndexSpec): Record<string, 1 | -1> {
  const key: Record<string, 1 | -1> = {};
  for (const field of index.fields) key[fieldOf(field.replace(/^-/, ''))] = field.startsWith('-') ? -1 : 1;
  return key;
}

export type Row = Plain & { _id: number | string };

export function toRow(record: Stored): Row {
  const { id, ...rest } = record;
  return { _id: id, ...rest };
}

/** Inverse of `toRow`: the collection contains only such records, so the type holds. */
export function toRecord<T extends Stored>(row: Row): T {
  const { _id, ...rest } = row;
  const record: Stored = { id: _id, ...rest };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return record as T;
}
