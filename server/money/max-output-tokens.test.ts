import { expect, test } from 'vitest';
import { maxOutputTokens } from './max-output-tokens.ts';

test.each([
  ['gpt-4o-mini', 16_384],
  ['gpt-4o-mini-2024-07-18', 16_384],
  ['openai/gpt-4o-mini', 16_384],
  ['gpt-4o-mini-2031-01-01', 16_384],
  ['o3-mini-high', 100_000],
  ['claude-3-haiku-20240307', 4_096],
  ['gpt-4o-mini-of-somebody', null],
  ['sea-1', null],
  ['', null],
])('the largest response of %s is %s', (model, tokens) => {
  expect(maxOutputTokens(model)).toBe(tokens);
});
