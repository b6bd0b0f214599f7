import { expect, it } from 'vitest';
import { withoutFolded } from './folded-tags.ts';

it('folded-tags: of a folded tag one channel stays, for its heading', () => {
  const rows = ['a', 'a', 'b', 'b', 'b', ''].map((tag, id) => ({ id, tag }));
  const ids = (...folded: string[]) => withoutFolded(rows, { has: (tag) => folded.includes(tag) }).map(({ id }) => id);
  expect(ids()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(ids('b')).toEqual([0, 1, 2, 5]);
  expect(ids('a', 'b', '')).toEqual([0, 2, 5]);
});
