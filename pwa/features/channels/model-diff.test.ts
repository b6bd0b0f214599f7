import { expect, it } from 'vitest';
import { applyDiff, firstDiff, modelDiff } from './model-diff.ts';

it('model-diff: what the provider has is added, what it does not list is gone', () => {
  const form = { models: ['gpt-4o', 'old', 'alias'], model_mapping: '{"alias":"gpt-4o-mini"}' };
  expect(modelDiff(form, ['gpt-4o-mini', 'gpt-4o', 'o3'])).toEqual({ added: ['gpt-4o-mini', 'o3'], gone: ['old'] });
  expect(modelDiff({ models: ['a'], model_mapping: '' }, ['a'])).toEqual({ added: [], gone: [] });
  expect(modelDiff({ models: ['a'], model_mapping: '{broken' }, [])).toEqual({ added: [], gone: ['a'] });
});

it('model-diff: only what was chosen is applied', () => {
  expect(applyDiff(['a', 'b', 'c'], { added: ['x', 'a'], gone: ['b'] })).toEqual(['a', 'c', 'x']);
});

it('model-diff: what a new channel was filled with and nobody chose is no loss', () => {
  const filled = ['gpt-5', 'gpt-4o', 'o3'];
  expect(firstDiff({ models: filled, model_mapping: '' }, ['gpt-5', 'local'], filled)).toEqual({ added: ['gpt-5', 'local'], gone: [] });
  expect(firstDiff({ models: [...filled, 'typed'], model_mapping: '' }, ['gpt-5'], filled)).toEqual({ added: ['gpt-5'], gone: ['typed'] });
});
