import { expect, test } from 'vitest';
import { maxOutputTokens } from './max-output-tokens.ts';

test.each([
  ['gpt-4o-mini', 16_384],
  ['gpt-4o-mini-2024-07-18', 16_384],
  ['openai/gpt-4o-mini', 16_384],
  ['gpt-4o-mini-2031-01-01', 16_384],
  ['o3-mini-high', 100_000],
  ['claude-3-haiku-20240307', 4_096],
  ['hunyuan-standard', 2_048],
  ['hunyuan-standard-256K', 6_144],
  ['hunyuan-turbo-20241223', 4_096],
  ['hunyuan-t1-latest', 65_536],
  ['hunyuan-t1-vision-20250916', null],
  ['SparkDesk-v3.5', 8_192],
  ['SparkDesk-v4.0', null],
  ['glm-4.6', 131_072],
  ['glm-4-long', 4_096],
  ['gpt-4o-mini-of-somebody', null],
  ['sea-1', null],
  ['', null],
])('the maximum output of %s is %s tokens', (model, tokens) => {
  expect(maxOutputTokens(model)).toBe(tokens);
});
