import { expect, test } from 'vitest';
import { csvRow } from './csv.ts';

test('csv: commas, quotes and line ends stay inside their cell', () => {
  expect(csvRow(['a,b', 'say "hi"', 'two\nlines', 7])).toBe('"a,b","say ""hi""","two\nlines",7\r\n');
});

test('csv: a text that a spreadsheet would run is plain text, a number stays a number', () => {
  const dangerous = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '|x', '%x'];
  for (const text of dangerous) expect(csvRow([text])).toBe(`'${text}\r\n`);
  expect(csvRow([-1, 0.5, 'gpt-4o', 'a=b'])).toBe('-1,0.5,gpt-4o,a=b\r\n');
});
