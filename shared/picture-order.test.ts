import { expect, test } from 'vitest';
import { tokensOf, tokensOfSeen, unitsOf } from './picture-order.ts';

const order = (size?: string, quality?: string) => ({ count: 1, size, quality, partials: 0, frames: 1 });

test.each([
  ['dall-e-3', order('1024x1024', 'hd'), 2],
  ['openai/dall-e-3', order('1024x1024', 'hd'), 2],
  ['openai/dall-e-3', order('1792x1024', 'hd'), 3],
  ['dall-e-3', order('1792x1024', 'standard'), 2],
  ['dall-e', order('512x512'), 0.9],
  ['openai/dall-e-2', order('256x256'), 0.8],
  ['flux', order('256x256', 'hd'), 0.4],
  ['not-dall-e-3', order('1024x1024', 'hd'), undefined],
])('a picture of %s costs by its size and quality, whoever sells it: %j', (model, requested, factor) => {
  expect(unitsOf(requested, model).factor).toBe(factor);
});

test.each([
  ['gpt-image-1', order(), { size: '1024x1024', quality: undefined }, 4160],
  ['gpt-image-1', order(), { size: '1024x1536', quality: undefined }, 6240],
  ['gpt-image-1', order(), { size: undefined, quality: undefined }, 4160],
  ['gpt-image-1', order(), { size: undefined, quality: 'low' }, 272],
  ['gpt-image-1', order(undefined, 'low'), { size: '1024x1536', quality: 'high' }, 408],
  // Larger than requested and reserved.
  ['gpt-image-1', order('1024x1024', 'low'), { size: '4096x4096', quality: undefined }, 272],
  ['seedream-4', order(), { size: '1024x1024', quality: undefined }, 4096],
  ['gemini-3-pro-image', order('4K'), { size: '1024x1024', quality: undefined }, 1120],
  ['flux', order(), { size: '1024x1024', quality: undefined }, 1250],
])('where %s tells no tokens, of a picture that was ordered as %j and seen as %j so many are paid', (model, requested, seen, tokens) => {
  expect(tokensOfSeen(requested, model, { ...seen, partials: 0 })).toBe(tokens);
  expect(tokens).toBeLessThanOrEqual(tokensOf(requested, model));
});

test('pictures that are not finished are paid as far as they were asked for', () => {
  const requested = { ...order('1024x1024', 'low'), partials: 2 };
  const paid = [1, 2, 3].map((partials) => tokensOfSeen(requested, 'gpt-image-1', { size: undefined, quality: undefined, partials }));
  expect(paid).toEqual([372, 472, 472]);
});
