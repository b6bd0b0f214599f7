// What the vendors ask for long prompts and in other lanes, as prices begin. List prices of November 2026.
import { expect, test } from 'vitest';
import { longInputsOf } from '#shared/long-inputs.ts';
import { tierFactorsOf } from '#shared/service-tiers.ts';
import longInputPrice from './data/long-input-price.json' with { type: 'json' };
import tierPrice from './data/tier-price.json' with { type: 'json' };

// https://ai.google.dev/gemini-api/docs/pricing https://platform.claude.com/docs/en/about-claude/pricing https://developers.openai.com/api/docs/pricing
test.each([
  ['gemini-2.5-pro', 200_000],
  ['gemini-2.5-computer-use-preview-10-2025', 200_000],
  ['gemini-pro-latest', 200_000],
  ['gemini-3.1-pro-preview', 200_000],
  ['claude-sonnet-4-20250514', 200_000],
  ['claude-4-sonnet-20250514', 200_000],
  ['claude-sonnet-4-5', 200_000],
  ['gpt-5.4', 272_000],
  ['gpt-5.5', 272_000],
])('%s costs more above %i tokens', (model, above) => {
  expect(longInputsOf(model, longInputPrice)).toEqual([{ above, input: 2, output: 1.5 }]);
});

test.each(['gemini-2.5-flash', 'claude-sonnet-4-6', 'claude-opus-4-7', 'gpt-5.2', 'gpt-4.1'])(
  '%s costs the same at any length',
  (model) => {
    expect(longInputsOf(model, longInputPrice)).toEqual([]);
  },
);

// https://openai.com/api-fast-mode/
test.each([
  ['gpt-5', 2],
  ['gpt-5-mini', 1.8],
  ['gpt-5.1-codex-mini', 1.8],
  ['gpt-5.4-mini', 2],
  ['gpt-5.5', 2.5],
  ['gpt-4.1', 1.75],
])('%s costs %f times as much when it is fast', (model, factor) => {
  expect(tierFactorsOf(model, tierPrice).get('priority')).toBe(factor);
});
