import { expect, test } from 'vitest';
import { withFileNames } from './provider-objects.ts';

test('ids of files and stores are replaced, and other texts of the caller stay', () => {
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

test("a tool's arguments, result and schema are unchanged, in every format", () => {
  const own = { file_id: 'file-1', list: [{ vector_store_ids: ['vs_1'] }] };
  const body = {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'open', input: own }] },
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'run', input: own }] },
    ],
    contents: [{ parts: [{ functionCall: { name: 'open', args: own } }, { functionResponse: { name: 'open', response: own } }] }],
    steps: [
      { type: 'function_call', name: 'open', arguments: own },
      { type: 'function_result', name: 'open', result: own },
    ],
    tools: [
      { name: 'open', input_schema: { default: own } },
      { type: 'function', name: 'open', parameters: { default: own } },
      { type: 'function', function: { name: 'open', parameters: { examples: [own] } } },
      { functionDeclarations: [{ name: 'open', parametersJsonSchema: { const: own }, responseJsonSchema: { const: own } }] },
    ],
    text: { format: { type: 'json_schema', name: 'opened', schema: { const: own } } },
  };
  expect(withFileNames(body, (name) => `${name}!`)).toBe(body);
});

test("a tool's name does not hide a file of the prompt", () => {
  const body = (file: string) => ({ input: [{ name: 'tide', content: [{ type: 'input_file', file_id: file }] }] });
  expect(withFileNames(body('file-1'), (name) => `${name}!`)).toEqual(body('file-1!'));
});
