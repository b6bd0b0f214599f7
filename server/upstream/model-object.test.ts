import { expect, it } from 'vitest';
import { modelObject } from './model-object.ts';

it('a model is owned by who makes it, and by nobody known when it is not built in', () => {
  expect(modelObject('360gpt-pro')).toMatchObject({
    id: '360gpt-pro',
    object: 'model',
    owned_by: 'ai360',
    root: '360gpt-pro',
    parent: null,
  });
  expect(modelObject('my-own').owned_by).toBe('custom');
  expect(modelObject('constructor').owned_by).toBe('custom');
});
