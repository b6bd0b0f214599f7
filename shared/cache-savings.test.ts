import { expect, test } from 'vitest';
import { cacheSavings } from '#shared/price-display.ts';

const ratios = { model_ratio: 2, completion_ratio: 5, cache_ratio: 0.1, cache_creation_ratio: 1.25, group_ratio: 0.5, model_price: -1 };
const tokens = { prompt_tokens: 1000, completion_tokens: 10 };

test.each([
  ['what was read is cheaper', { cache_tokens: 600 }, 540, 0.6],
  ['what was written costs more', { cache_tokens: 600, cache_creation_tokens: 400 }, 440, 0.6],
  ['writing for an hour costs more again', { cache_creation_tokens: 400, cache_creation_tokens_1h: 400 }, -400, 0],
  [
    'audio from there costs less than audio that is heard, and text what it did',
    { cache_tokens: 600, audio_cache_tokens: 200, audio_cache_ratio: 0.5, audio_ratio: 8 },
    200 * 7.5 + 400 * 0.9,
    0.6,
  ],
])('%s', (_about, other, quota, share) => {
  const saved = cacheSavings(tokens, { ...ratios, ...other });
  expect(saved?.quota).toBeCloseTo(quota, 6);
  expect(saved?.share).toBe(share);
});

test('without a cache, or at a price per call, there is nothing to tell', () => {
  expect(cacheSavings(tokens, ratios)).toBeNull();
  expect(cacheSavings(tokens, { ...ratios, model_price: 0.1, cache_tokens: 600 })).toBeNull();
});
