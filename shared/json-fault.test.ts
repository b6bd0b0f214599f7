import { expect, test } from 'vitest';
import { placeOfFault } from './json-fault.ts';

function faultOf(text: string, rename = (message: string) => message) {
  try {
    JSON.parse(text);
  } catch (failure) {
    return placeOfFault(text, new SyntaxError(rename(failure instanceof Error ? failure.message : '')));
  }
  return undefined;
}

const broken: [string, number, number][] = [
  ['{', 1, 2],
  ['{"a":1,}', 1, 8],
  ['{\n"a": tru}', 2, 6],
  ['[1,\n2,\n]', 3, 1],
  ['[1 2]', 1, 4],
  ['{"a":1}}', 1, 8],
  ['{"a" 1}', 1, 6],
  ['{a:1}', 1, 2],
  ["{'a':1}", 1, 2],
  ['[01]', 1, 3],
  ['abc', 1, 1],
  ['{"a":[{"b":"c\\n"}, nil]}', 1, 20],
  ['{"a":"line 9 column 9"', 1, 23],
  ['{"a":x, "b":"line 9 column 9"}', 1, 6],
];

test.each(broken)('%j stops being JSON at line %d, column %d', (text, line, column) => {
  expect(faultOf(text)).toEqual({ line, column });
});

// There, a number with a wrong continuation is reported at its beginning.
test.each(broken.filter(([text]) => text !== '[01]'))('%j: found also where the engine names no place', (text, line, column) => {
  expect(faultOf(text, () => 'JSON Parse error')).toEqual({ line, column });
});

test('a place on the last of many lines', () => {
  expect(faultOf(`[${'\n'.repeat(1000)}  x`)).toEqual({ line: 1001, column: 3 });
});

test.each(['[x,', '['])('a long text is not searched, nor are its lines counted: %j', (begin) => {
  const text = begin + '\n'.repeat(1024 * 1024);
  for (const said of ['JSON Parse error', `JSON.parse: unexpected end at position ${text.length}`]) {
    expect(faultOf(text, () => said)).toBeNull();
  }
  // It costs nothing where the engine names it.
  expect(faultOf(text, () => 'Expected a value in JSON at position 1 (line 1 column 2)')).toEqual({ line: 1, column: 2 });
});
