import { describe, expect, test } from 'vitest';
import { adaptThinkingSuffix } from './thinking-suffix.ts';

const asked = { max_tokens: 2000, temperature: 0.3, top_p: 0.9, messages: [] };

describe('a name that ends in -thinking', () => {
  test.each(['claude-3-7-sonnet-20250219', 'claude-sonnet-4-5', 'claude-opus-4-20250514', 'claude-opus-4-6'])(
    '%s has a budget',
    (model) => {
      expect(adaptThinkingSuffix({ ...asked, model: `${model}-thinking` }, 0.8)).toEqual({
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
      expect(adaptThinkingSuffix({ ...asked, model: `${model}-thinking` }, 0.8)).toEqual({
        model,
        max_tokens: 2000,
        thinking: { type: 'adaptive', display: 'summarized' },
        messages: [],
      });
    },
  );

  test('is only cut where the client has said how to think, and stays where the setting is off', () => {
    const own = { ...asked, model: 'claude-sonnet-5-thinking', thinking: { type: 'disabled' } };
    expect(adaptThinkingSuffix(own, 0.8)).toEqual({ ...own, model: 'claude-sonnet-5' });
    expect(adaptThinkingSuffix(own, null)).toBe(own);
  });
});
