import { describe, expect, test } from 'vitest';
import { CsvError, CsvReader } from '#shared/csv-reader.ts';

function read(text: string, step = text.length): string[][] {
  const reader = new CsvReader();
  const rows = [];
  for (let at = 0; at < text.length; at += step) rows.push(...reader.push(text.slice(at, at + step)));
  return [...rows, ...reader.end()].map(({ cells }) => cells);
}

describe('csv-reader', () => {
  const texts: [string, string, string[][]][] = [
    [
      'cells',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no line break at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'old line breaks',
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'quotes, delimiters and line breaks in cells',
      'a,b\n"x ""y"", z\r\nw",2\n',
      [
        ['a', 'b'],
        ['x "y", z\r\nw', '2'],
      ],
    ],
    [
      'semicolons',
      'a;b\n1,5;2\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'tabs',
      'a\tb\n"1,5"\t2\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'empty lines and cells',
      'a,b\n\n,\n1,\n,2\n',
      [
        ['a', 'b'],
        ['1', ''],
        ['', '2'],
      ],
    ],
    [
      'a quote within plain text',
      'a,b\n5" x,2\n',
      [
        ['a', 'b'],
        ['5" x', '2'],
      ],
    ],
    [
      'text after a closing quote',
      'a,b\n"x"y,2\n',
      [
        ['a', 'b'],
        ['xy', '2'],
      ],
    ],
    [
      'an empty quoted cell at the end',
      'a,b\n1,""',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
  ];
  test.each(texts)('%s, in pieces of any size', (_name, text, rows) => {
    for (let step = 1; step <= text.length; step += 1) expect(read(text, step)).toEqual(rows);
  });

  test('rows have the line in which they begin', () => {
    const reader = new CsvReader();
    const rows = [...reader.push('a,b\r\n"1\r\n2\n3",x\r\n\r\n4,5'), ...reader.end()];
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 6]);
  });

  test('what has no end, or is too long, is refused with its line', () => {
    const faults = ['a,b\n"1,2\n', `a,b\n1,${'x'.repeat(40_000)}\n`, `a,b\n${','.repeat(300)}\n`, 'x'.repeat(200_000)].map((text) => {
      try {
        return read(text, 10_000);
      } catch (failure) {
        return failure instanceof CsvError ? [failure.fault, failure.line] : failure;
      }
    });
    expect(faults).toEqual([
      ['open_quote', 2],
      ['cell_too_long', 2],
      ['too_many_cells', 2],
      ['cell_too_long', 1],
    ]);
  });
});
