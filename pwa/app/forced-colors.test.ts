import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const cssOf = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8');
const hues = (css: string) => [...css.matchAll(/--(series-\d): (#\w+);/g)].map(([, name, hue]) => `${name} ${hue}`);

// The theme decides there, and not the console's own setting: what the one block says of each scheme, the other repeats.
it('hues of series in a contrast theme are those of the scheme that it looks like', () => {
  const [light = '', dark = ''] = cssOf('forced-colors.css').split('(prefers-color-scheme: dark)');
  const tokens = cssOf('tokens.css');
  const begin = tokens.search(/^\S*\[data-mantine-color-scheme='dark'\]/m);
  expect(begin).toBeGreaterThan(0);
  expect(hues(light)).toEqual(hues(tokens.slice(0, begin)));
  expect(hues(dark)).toEqual(hues(tokens.slice(begin)));
  expect(hues(light)).toHaveLength(6);
});
