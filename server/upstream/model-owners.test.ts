import { expect, it } from 'vitest';
import { builtInModels, ownerOf } from './model-owners.ts';

it('a model is owned by who makes it, and by nobody known when it is not built in', () => {
  expect(['360gpt-pro', 'my-own', 'constructor'].map(ownerOf)).toEqual(['ai360', 'custom', 'custom']);
  expect(builtInModels()).toContain('360gpt-pro');
  expect(builtInModels()).toEqual(builtInModels().toSorted());
});
