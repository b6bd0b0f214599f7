import { describe, expect, test } from 'vitest';
import { adaptThinkingSuffix, cutThinkingSuffix, leastLimitOf } from './thinking-suffix.ts';

const requested = { max_tokens: 2000, temperature: 0.3, top_p: 0.9, messages: [] };

describe('a name that ends in -thinking', () => {
  test.each(['claude-3-7-sonnet-20250219', 'claude-sonnet-4-5', 'claude-opus-4-20250514', 'claude-opus-4-6'])(
    '%s has a budget',
    (model) => {
      expect(adaptThinkingSuffix({ ...requested, model: `${model}-thinking` }, 0.8)).toEqual({
        model,
        max_tokens: 2000,
        temperature: 1,
        thinking: { type: 'enabled', budget_tokens: 1600 },
        messages: [],
      });
    },
  );

  test.each(['claude-opus-4-7', 'claude-opus-4.8', 'claude-sonnet-5', 'anthropic.claude-opus-5', 'claude-sonnet-5-5'])(
    '%s, which refuses budgets, decides itself, and is sent no temperature',
    (model) => {
      expect(adaptThinkingSuffix({ ...requested, model: `${model}-thinking` }, 0.8)).toEqual({
        model,
        max_tokens: 2000,
        thinking: { type: 'adaptive', display: 'summarized' },
        messages: [],
      });
    },
  );

  test('is only removed if the client sets thinking, and stays if the setting is off', () => {
    const own = { ...requested, model: 'claude-sonnet-5-thinking', thinking: { type: 'disabled' } };
    expect(adaptThinkingSuffix(own, 0.8)).toEqual({ ...own, model: 'claude-sonnet-5' });
    expect(adaptThinkingSuffix(own, null)).toBe(own);
  });
});

describe('a name that ends in an effort', () => {
  test.each([
    ['claude-opus-4-6', 'high', { output_config: { effort: 'high' } }],
    ['claude-opus-4-6', 'xhigh', { output_config: { effort: 'high' } }],
    ['anthropic.claude-opus-4-8', 'xhigh', { output_config: { effort: 'xhigh' } }],
    ['claude-sonnet-5', 'max', { output_config: { effort: 'max' } }],
    ['claude-sonnet-5', 'low', { output_config: { effort: 'low' } }],
  ])('%s-%s gets the effort', (model, effort, reported) => {
    const thinking = { type: 'adaptive', display: 'summarized' };
    expect(adaptThinkingSuffix({ ...requested, model: `${model}-${effort}` }, 0.8)).toEqual({
      model,
      max_tokens: 2000,
      thinking,
      messages: [],
      ...reported,
    });
  });

  test.each([
    ['low', 1024],
    ['medium', 1024],
    ['high', 1600],
    ['max', 1744],
  ])('claude-sonnet-4-5-%s has a budget within the limit', (effort, budget) => {
    const body = adaptThinkingSuffix({ ...requested, model: `claude-sonnet-4-5-${effort}` }, 0.8);
    const thinking = { type: 'enabled', budget_tokens: budget };
    expect(body).toEqual({ model: 'claude-sonnet-4-5', max_tokens: 2000, temperature: 1, thinking, messages: [] });
  });

  test('other members of output_config stay, and an effort of the client takes precedence', () => {
    const format = { type: 'json_schema', schema: {} };
    const body = { ...requested, model: 'claude-opus-5-high', output_config: { format } };
    expect(adaptThinkingSuffix(body, 0.8)).toMatchObject({ model: 'claude-opus-5', output_config: { format, effort: 'high' } });
    const own = { ...body, output_config: { effort: 'low' } };
    expect(adaptThinkingSuffix(own, 0.8)).toEqual({ ...own, model: 'claude-opus-5' });
    expect(leastLimitOf(own, own.model)).toBe(0);
    expect(leastLimitOf(body, body.model)).toBe(1280);
  });

  test('is not a suffix for models without thinking, of other vendors, or if the setting is off', () => {
    for (const model of ['claude-3-haiku-high', 'gpt-5-high', 'qwen-max']) {
      const body = { ...requested, model };
      expect(adaptThinkingSuffix(body, 0.8)).toBe(body);
    }
    const body = { ...requested, model: 'claude-opus-5-high' };
    expect(adaptThinkingSuffix(body, null)).toBe(body);
  });

  test('is removed for token counts', () => {
    expect(cutThinkingSuffix({ model: 'claude-opus-5-high', messages: [] }, 0.8)).toEqual({ model: 'claude-opus-5', messages: [] });
  });
});
