import { expect, test } from 'vitest';
import { unitsOf } from './picture-order.ts';

const order = (size: string, quality?: string) => ({ count: 1, size, quality, partials: 0, frames: 1 });

test.each([
  ['dall-e-3', order('1024x1024', 'hd'), 2],
  ['openai/dall-e-3', order('1024x1024', 'hd'), 2],
  ['openai/dall-e-3', order('1792x1024', 'hd'), 3],
  ['dall-e-3', order('1792x1024', 'standard'), 2],
  ['dall-e', order('512x512'), 0.9],
  ['openai/dall-e-2', order('256x256'), 0.8],
  ['flux', order('256x256', 'hd'), 0.4],
  ['not-dall-e-3', order('1024x1024', 'hd'), undefined],
])('a picture of %s costs by its size and quality, whoever sells it: %j', (model, asked, factor) => {
  expect(unitsOf(asked, model).factor).toBe(factor);
});
