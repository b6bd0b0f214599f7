import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputTokens, noTokens } from '#shared/token-usage.ts';
import { writeTokenUsage } from './token-usage.ts';

const tokens = fc.nat({ max: 1_000_000 });

test('the total of an interaction counts every token once', () => {
  const isWhole = fc.property(tokens, tokens, tokens, tokens, tokens, (input, cacheRead, written, reasoning, audioInput) => {
    const usage = { ...noTokens, input: input + audioInput, audioInput, cacheRead, output: written + reasoning, reasoning };
    const reported = writeTokenUsage(usage);
    expect(reported).toMatchObject({
      total_input_tokens: inputTokens(usage),
      total_cached_tokens: cacheRead,
      total_output_tokens: written,
      total_thought_tokens: reasoning,
    });
    const sum = ['total_input_tokens', 'total_output_tokens', 'total_thought_tokens'].reduce(
      (all, name) => all + Number(reported[name]),
      0,
    );
    expect(reported['total_tokens']).toBe(sum);
  });
  expect(() => fc.assert(isWhole)).not.toThrow();
});
