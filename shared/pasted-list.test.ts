import { describe, expect, test } from 'vitest';
import { pastedListLimit, readAmount, readPastedList } from './pasted-list.ts';

const fields = (text: string) => readPastedList(text).map(({ username, email, group, balance }) => [username, email, group, balance]);
const one = [['anna', 'anna@example.org', 'vip', '5']];

describe('pasted-list', () => {
  test.each([
    ['commas', 'anna, anna@example.org , vip,5'],
    ['tabs', 'anna\tanna@example.org\tvip\t5'],
    ['semicolons', 'anna;anna@example.org;vip;5'],
    ['wide commas', 'anna，anna@example.org，vip，5'],
    ['a head', 'Name,Mail,Group,Balance\r\nanna,anna@example.org,vip,5\r\n'],
    ['a head in Chinese and a mark', '\uFEFF用户名;邮箱;分组;额度\nanna;anna@example.org;vip;5'],
    ['quotes', '"anna","anna@example.org", "vip" ,"5"'],
    ['empty lines', '\n\nanna,anna@example.org,vip,5\n , ,\n'],
  ])('reads %s', (_name, text) => {
    expect(fields(text)).toEqual(one);
  });

  test('every line has its own separator: lines of a sheet stand among written ones', () => {
    const text = 'anna, anna@example.org, vip, 5\nben\tben@example.org\tvip\t1,000\ncarl;c@example.org;vip;2\n"d; e",d@example.org';
    expect(fields(text)).toEqual([
      ['anna', 'anna@example.org', 'vip', '5'],
      ['ben', 'ben@example.org', 'vip', '1,000'],
      ['carl', 'c@example.org', 'vip', '2'],
      ['d; e', 'd@example.org', '', ''],
    ]);
  });

  test('a line keeps its source, to be pasted again', () => {
    const sources = readPastedList('name,mail\r\n anna ,a@example.org\r\n\r\n"d\ne";d@example.org\nf').map(({ source }) => source);
    expect(sources).toEqual([' anna ,a@example.org', '"d\ne";d@example.org', 'f']);
  });

  test('quotes hold separators, line ends and quotes; lines keep their numbers', () => {
    const lines = readPastedList('name\n"a, ""b""\nc",x@y.org\nd,,,"1,000.50"\ne,,,1,2');
    expect(lines.map(({ number, username, balance, hasMore }) => [number, username, balance, hasMore])).toEqual([
      [2, 'a, "b"\nc', '', false],
      [4, 'd', '1,000.50', false],
      [5, 'e', '1', true],
    ]);
  });

  test('a quote that never ends takes the rest, and what is beyond the bound is not read', () => {
    expect(fields('"anna,b\nc')).toEqual([['anna,b\nc', '', '', '']]);
    expect(readPastedList('a\n'.repeat(pastedListLimit))).toHaveLength(pastedListLimit / 2);
    expect(readPastedList('')).toEqual([]);
  });

  test.each([
    ['', 0],
    ['5', 5],
    ['$1,000.50', 1000.5],
    ['1 000', 1000],
    ['12,5', 12.5],
    ['12.5 USD', 12.5],
    ['0', 0],
    ['-5', null],
    ['five', null],
    ['1e9', null],
    ['1,00,0', null],
  ])('an amount of %j is %j', (text, amount) => {
    expect(readAmount(text)).toBe(amount);
  });
});
