import { expect, test } from 'vitest';
import { createIdRestorer } from './restore-ids.ts';

const report = createIdRestorer({ idOf: (name) => `${name}!`, filenameOf: (reported) => reported.replace('.mark', '') });
const reported = (text: string) => report(Buffer.from(text)).toString();

test('members that name files and stores are told otherwise, wherever they stand', () => {
  expect(reported('{"file_id":"file-1","a":[{ "file_id" :\n"file_2" }]}')).toBe('{"file_id":"file-1!","a":[{ "file_id" :\n"file_2!" }]}');
  expect(reported('{"vector_store_ids":[ "vs_1" , "vs_2"],"vector_store_ids":[]}')).toBe(
    '{"vector_store_ids":[ "vs_1!" , "vs_2!"],"vector_store_ids":[]}',
  );
});

test('a file is called as its caller called it, in whatever letters', () => {
  expect(reported('{"filename":"a.mark.txt","x":{"filename" : "\\u00e9\\"é.mark"},"filename":"b\\\\"}')).toBe(
    '{"filename":"a.txt","x":{"filename" : "é\\"é"},"filename":"b\\\\"}',
  );
});

test('what a caller has named himself stays, whatever he has called it', () => {
  const own = '{"file_id":"file-1","a":{"vector_store_ids":["vs_1"]},"b":"}\\"}","filename":"a.mark.txt"}';
  for (const member of ['attributes', 'metadata', 'parameters', 'schema', 'input_schema'])
    expect(reported(`{"${member}" : ${own},"file_id":"file-1","${member}":null,"${member}":{},"filename":"b.mark.txt"}`)).toBe(
      `{"${member}" : ${own},"file_id":"file-1!","${member}":null,"${member}":{},"filename":"b.txt"}`,
    );
  expect(reported('{"text":"\\"attributes\\":{","file_id":"file-1"}')).toBe('{"text":"\\"attributes\\":{","file_id":"file-1!"}');
  expect(reported('{"attributes":"{","file_id":"file-1","attributes":{"file_id":"file-1"')).toBe(
    '{"attributes":"{","file_id":"file-1!","attributes":{"file_id":"file-1"',
  );
});

test.each([
  ['a name of a file that has no mark', '{"filename":"\\u0061.txt","filename":null,"filename":["x"'],
  ['a name without an end', `{"filename":"a.mark\\"}${'x'.repeat(3000)}`],
  ['what a model has written', JSON.stringify({ text: '"file_id":"file-1", "vector_store_ids":["vs_1"]' })],
  ['what is no name of a file', '{"file_id":"cfile_1","file_id":null,"file_id":7,"vector_store_ids":null}'],
  ['a member of another name', '{"my_file_id":"file-1","file_ids":["file-1"]}'],
  ['what ends in the middle', '{"file_id":"file-1'],
  ['names that no provider has', `{"file_id":"file-${'x'.repeat(300)}","file_id":"file-\\u0031"}`],
  ['an answer without any', '{"output":[]}'],
])('%s stays as it was', (_what, text) => {
  expect(reported(text)).toBe(text);
});

test('an answer without names is the same bytes', () => {
  const answer = Buffer.from('data: {"type":"response.created"}\n\n');
  expect(report(answer)).toBe(answer);
});
