import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DatabaseUrlError, parseDatabaseUrl } from './database-url.ts';

it('database URL: files, relative and absolute', () => {
  expect(parseDatabaseUrl('file:./data/x.db')).toEqual({ kind: 'embedded', file: resolve('data/x.db'), synchronous: 'normal' });
  expect(parseDatabaseUrl('file:/var/x.db?synchronous=full')).toEqual({ kind: 'embedded', file: '/var/x.db', synchronous: 'full' });
  expect(parseDatabaseUrl('file:///var/a%20b.db')).toMatchObject({ file: '/var/a b.db' });
});

it('database URL: servers, and the name of the database', () => {
  expect(parseDatabaseUrl('mongodb://h')).toEqual({ kind: 'mongodb', url: 'mongodb://h', name: 'tidegate' });
  expect(parseDatabaseUrl('mongodb://u:p@h1:1,h2:2/books?replicaSet=r')).toMatchObject({ name: 'books' });
  expect(parseDatabaseUrl('mongodb+srv://h/?w=1')).toMatchObject({ name: 'tidegate' });
});

it.each([
  '',
  'x.db',
  'mysql://h/db',
  'file:',
  'file:./data/',
  'file:x.db?sync=off',
  'file:x.db?synchronous=off',
  'file://host/x.db',
  'mongodb://',
  'mongodb://h/%zz',
])('database URL: "%s" is rejected', (url) => {
  expect(() => parseDatabaseUrl(url)).toThrow(DatabaseUrlError);
});
