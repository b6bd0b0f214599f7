// Every provider type with all of its capabilities, against a stand-in that validates requests strictly and responds in the provider's
// format. A type or capability without a test fails by name. Chat and related calls are in the files `provider-table-*`.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { providerOf } from '#server/providers/registry.ts';
import { isKind } from './provider-table/exercises.ts';
import { providerTypes } from './provider-table/facts.ts';
import { apartOf } from './provider-table/other-calls.ts';
import { claimedBy, missing, missingTypes, type Row, rows, unknownTypes, untrue } from './provider-table/rows.ts';
import { standInOf } from './provider-table/stand-ins.ts';

const titleOf = ({ type, name, capability }: Row) => `${type} ${name}: ${capability}`;

test('every type has a record, or is known to be missing, and nothing has one that is not known', () => {
  const without = providerTypes.filter(({ id }) => providerOf(id) === undefined && untrue[id] === undefined && !(id in missingTypes));
  expect(without.map(({ id, name }) => `${id} ${name}`)).toEqual([]);
  expect(unknownTypes).toEqual([]);
});

test('everything that can be done is tried', () => {
  const untried = rows.filter((row) => {
    const { type, capability } = row;
    if (apartOf(row) !== undefined) return false;
    return standInOf(type) === null || !(capability === 'chat' || isKind(capability));
  });
  expect(untried.map(titleOf)).toEqual([]);
});

test('every record does what is known of its type', () => {
  const lacking = rows.filter(({ type, capability }) => !claimedBy(type).includes(capability));
  expect(lacking.map(titleOf)).toEqual([]);
});

test('what is missing is missing, and the README says so', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split('## Not there yet');
  const [reported = ''] = section.split('\n## ');
  const named = [...Object.values(missingTypes), ...Object.values(missing).flatMap((ofType) => Object.values(ofType))];
  expect(named.filter((word) => !reported.includes(word))).toEqual([]);
  expect(Object.keys(missingTypes).filter((type) => providerOf(Number(type)) !== undefined)).toEqual([]);
  const there = Object.entries(missing).flatMap(([type, ofType]) => {
    const claimed = claimedBy(Number(type));
    return Object.keys(ofType)
      .filter((capability) => claimed.includes(capability))
      .map((capability) => `${type}: ${capability}`);
  });
  expect(there).toEqual([]);
});

const bySide = rows.filter((row) => apartOf(row) !== undefined);
test.each(bySide.map((row) => ({ title: titleOf(row), row })))('$title', async ({ row }) => {
  const tried = apartOf(row);
  expect(tried).toBeDefined();
  await tried?.(row);
});
