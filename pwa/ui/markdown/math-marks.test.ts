import { expect, test } from 'vitest';
import { markFormulas } from './math-marks.ts';

test.each([
  ['The area is \\(\\pi r^2\\).', 'The area is $$\\pi r^2$$.'],
  ['So $x$ and $x_1 = 2$ hold.', 'So $$x$$ and $$x_1 = 2$$ hold.'],
  ['\\[\nE = mc^2\n\\]', '\n$$\nE = mc^2\n$$\n'],
  ['the area $$a^2$$ of it', 'the area $$a^2$$ of it'],
  ['$$a^2$$ and $$b^2$$', '$$a^2$$ and $$b^2$$'],
  ['So:\n$$a^2$$\nholds', 'So:\n$$\na^2\n$$\nholds'],
  ['$$ a\n+ b $$', '$$\na\n+ b\n$$'],
  ['$$\na\n$$', '$$\na\n$$'],
  ['1. one\n\n   $$a^2$$', '1. one\n\n   $$\n   a^2\n   $$'],
])('%j is a formula', (text, marked) => {
  expect(markFormulas(text)).toBe(marked);
});

test.each([
  'It costs $5 and then $10.',
  'Between $5 and $10 a month',
  'US$20, or $30/month ($360 a year)',
  'a `$x^2$` in code',
  '```sh\necho $HOME_DIR $x_1$\n```',
  '~~~\n\\(x\\)\n~~~',
  'escaped \\\\(x\\\\)',
  'a lone $ and another $',
  'plain',
])('%j stays as it is', (text) => {
  expect(markFormulas(text)).toBe(text);
});

test('it ends, whatever never closes', { timeout: 5_000 }, () => {
  for (const piece of ['$', '\\(', '\\[', '`', '```\n', '$x ', '$$x', '\n$$x', '\n$$'])
    expect(markFormulas(piece.repeat(20_000)).length).toBeGreaterThan(20_000 - 1);
});
