import { expect, test } from 'vitest';
import { withFileNames } from './account-objects.ts';

test('what names a file or a store is called otherwise, and what a caller has named himself stays', () => {
  const own = { file_id: 'file-1', inner: { vector_store_ids: ['vs_1'] } };
  const body = (file: string, store: string) => ({
    metadata: own,
    input: [
      { content: [{ type: 'input_file', file_id: file }] },
      { type: 'file_search_call', results: [{ file_id: file, attributes: own }] },
    ],
    tools: [{ type: 'file_search', vector_store_ids: [store] }],
  });
  const places: string[] = [];
  const renamed = withFileNames(body('file-1', 'vs_1'), (name, place) => {
    places.push(place);
    return `${name}!`;
  });
  expect(renamed).toEqual(body('file-1!', 'vs_1!'));
  expect(places).toEqual(['prompt', 'said', 'store']);
});
