import { expect, it } from 'vitest';
import { builtInModels, ownerOf } from './model-owners.ts';

it('the owner of a model is its vendor, and `custom` for unknown models', () => {
  expect(['360gpt-pro', 'my-own', 'constructor'].map(ownerOf)).toEqual(['ai360', 'custom', 'custom']);
  expect(['gpt-6.1-sol', 'claude-opus-5-5', 'gemini-3.8-flash'].map(ownerOf)).toEqual(['openai', 'anthropic', 'google']);
  expect(builtInModels()).toContain('360gpt-pro');
  expect(builtInModels()).toEqual(builtInModels().toSorted());
});
