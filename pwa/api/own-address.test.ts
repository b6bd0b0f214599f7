import { expect, it } from 'vitest';
import { ownAddress } from './own-address.ts';

it('own addresses are kept with their search', () => {
  expect(ownAddress('/log?open=7#top')).toBe('/log?open=7#top');
  expect(ownAddress('/setting?tab=prices&field=ModelPrice')).toBe('/setting?tab=prices&field=ModelPrice');
});

it.each([
  '//evil.example/x',
  '/\\evil.example',
  '/\t/evil.example',
  '\t//evil.example',
  '/..//evil.example',
  '/./\\evil.example',
  'https://evil.example/x',
  'javascript:alert(1)',
  'log',
  '',
])('%j leads elsewhere', (requested) => {
  expect(ownAddress(requested)).toBeUndefined();
});

it('what no header can hold is written out', () => {
  expect(ownAddress('/\u0000/x')).toBe('/%00/x');
});
