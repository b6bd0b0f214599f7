import { expect, test } from 'vitest';
import { writeMedia } from './media.ts';

const namesOf = (given: readonly string[]) => {
  const names = new Map<string, number>();
  return given.map((name) => {
    const written = writeMedia({ type: 'file', name, source: { kind: 'text', text: 'x' } }, names);
    return JSON.stringify(written?.['document']).match(/"name":"([^"]*)"/)?.[1];
  });
};

test('no two documents of a request have the same name', () => {
  expect(namesOf(['a', 'a', 'a'])).toEqual(['a', 'a 2', 'a 3']);
  expect(namesOf(['a', 'a 2', 'a', 'a 2', 'a'])).toEqual(['a', 'a 2', 'a 3', 'a 2 2', 'a 4']);
});

test('thousands of documents of one name are numbered without trying all earlier names', () => {
  const given = Array.from({ length: 100_000 }, () => 'a');
  expect(new Set(namesOf(given)).size).toBe(given.length);
});
