import { expect, test } from 'vitest';
import { readSourceAddress, sourceName } from './source-address.ts';

test.each([
  ['one-api.db', { engine: 'sqlite', file: 'one-api.db' }, 'one-api.db'],
  ['file:/data/one-api.db', { engine: 'sqlite', file: '/data/one-api.db' }, 'one-api.db'],
  ['postgres://u:p@h:5432/d', { engine: 'postgresql', url: 'postgres://u:p@h:5432/d' }, 'h:5432/d'],
  [
    'root:p@ss/w:rd@tcp(db:3306)/oneapi?charset=utf8mb4',
    { engine: 'mysql', url: 'mysql://root:p%40ss%2Fw%3Ard@db:3306/oneapi' },
    'db:3306/oneapi',
  ],
] as const)('the address %s', (text, address, name) => {
  expect(readSourceAddress(text)).toEqual(address);
  expect(sourceName(readSourceAddress(text))).toBe(name);
});
