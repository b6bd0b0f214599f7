import { expect, it } from 'vitest';
import { clientDialects } from './registry.ts';
import { retainLimits, limitsAt, noLimits } from './token-limits.ts';

const flat = limitsAt('max_tokens', 'max_completion_tokens');
const nested = limitsAt('generationConfig.maxOutputTokens');

it('the largest of several limits counts, and values that upstreams treat as no limit are none', () => {
  expect(flat.read({ max_tokens: 5, max_completion_tokens: 9 })).toBe(9);
  for (const limit of [0, -1, null, '9', undefined]) expect(flat.read({ max_tokens: limit })).toBeUndefined();
  expect(nested.read({ generationConfig: { maxOutputTokens: 7 } })).toBe(7);
  expect(nested.read({ generationConfig: 7 })).toBeUndefined();
});

it('a bound lowers existing limits, and is set if there is none', () => {
  expect(flat.bound({ max_tokens: 5, max_completion_tokens: 90 }, 20)).toEqual({ max_tokens: 5, max_completion_tokens: 20 });
  expect(flat.bound({ max_completion_tokens: 0 }, 20)).toEqual({ max_completion_tokens: 20 });
  expect(flat.bound({ n: 1 }, 20)).toEqual({ n: 1, max_tokens: 20 });
  expect(nested.bound({}, 20)).toEqual({ generationConfig: { maxOutputTokens: 20 } });
});

it('a bound changes neither the members next to a nested limit nor the original body', () => {
  const body = { contents: [], generationConfig: { maxOutputTokens: 100, topK: 3 } };
  expect(nested.bound(body, 20)).toEqual({ contents: [], generationConfig: { maxOutputTokens: 20, topK: 3 } });
  expect(body.generationConfig.maxOutputTokens).toBe(100);
});

it('a bound of Gemini is set in the object of the caller, in either spelling', () => {
  const { limits } = clientDialects.gemini;
  expect(limits.bound({ generation_config: { topK: 3 } }, 20)).toEqual({ generation_config: { topK: 3, maxOutputTokens: 20 } });
  const both = { generation_config: { max_output_tokens: 90 } };
  expect(limits.bound(both, 20)).toEqual({ generation_config: { max_output_tokens: 20 } });
  expect(limits.bound({ contents: [] }, 20)).toEqual({ contents: [], generationConfig: { maxOutputTokens: 20 } });
});

it('edits exceed neither the limit that the account pays for nor the reserved one', () => {
  const route = { paramOverride: null };
  expect(retainLimits({ max_tokens: 50 }, { outputBound: 10, choiceLimit: 30, route }, flat)).toEqual({ max_tokens: 10 });
  expect(retainLimits({ max_tokens: 50 }, { choiceLimit: 30, route }, flat)).toEqual({ max_tokens: 30 });
  expect(retainLimits({}, { choiceLimit: 30, route }, flat)).toEqual({});
});

it('an override that removes a limit does not remove a reserved one', () => {
  const stored = (paramOverride: Record<string, unknown>, limits: typeof flat) =>
    retainLimits({ max_tokens: undefined, ...paramOverride }, { choiceLimit: 30, route: { paramOverride } }, limits);
  expect(stored({ max_tokens: null }, flat)).toEqual({ max_tokens: 30 });
  expect(stored({ max_completion_tokens: '9' }, flat)).toEqual({ max_completion_tokens: 30 });
  expect(stored({ generationConfig: { topK: 3 } }, nested)).toEqual({ generationConfig: { topK: 3, maxOutputTokens: 30 } });
  expect(stored({ generationConfig: { topK: 3 } }, noLimits)).toEqual({ generationConfig: { topK: 3 } });
});

it('names on the path to a limit are critical too', () => {
  expect(nested.names).toEqual(['generationConfig', 'maxOutputTokens']);
});
