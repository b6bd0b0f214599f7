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
  '```sh\necho one\necho $x_1$\necho $y_2$\n```\nAnd so on',
  '````md\n```\n$x_1$\n```\n````',
  '  ```\n\\(x\\)',
  '``a ` $x_1$ ` b``',
  'escaped \\\\(x\\\\)',
  'a lone $ and another $',
  'plain',
])('%j stays as it is', (text) => {
  expect(markFormulas(text)).toBe(text);
});

test('code ends where it is closed, and what never closes is none', () => {
  expect(markFormulas('`` $x_1$ ` and $x_2$')).toBe('`` $$x_1$$ ` and $$x_2$$');
  expect(markFormulas('`a` $x_1$ `$x_2$` $x_3$')).toBe('`a` $$x_1$$ `$x_2$` $$x_3$$');
  expect(markFormulas('```\n$a_1$\n```\n$x_1$')).toBe('```\n$a_1$\n```\n$$x_1$$');
});

test('a formula has no other in it', () => {
  expect(markFormulas('\\( and \\(x\\)')).toBe('\\( and $$x$$');
  expect(markFormulas('\\[a \\\\[2pt] b\\]')).toBe('\n$$\na \\\\[2pt] b\n$$\n');
});

test('it ends, whatever never closes', () => {
  for (const piece of ['$', '\\(', '\\[', '`', '```\n', '$x ', '$$x', '\n$$x', '\n$$', ' `', '` ``', '~', '\n~~~\n`', ' \n'])
    expect(markFormulas(`$${piece.repeat(50_000)}`).length).toBeGreaterThan(50_000 - 1);
});
