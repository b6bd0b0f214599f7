import { expect, test } from 'vitest';
import { mediaCost } from './media-cost.ts';
import { emptyMedia } from './media-settings.ts';
import { priceOf } from './rough-cost.ts';

const perCall = (model_price: number) => priceOf({ quota_type: 1, model_price, model_ratio: 0, completion_ratio: 1 });
const byTokens = (ratios: object) => priceOf({ quota_type: 0, model_price: 0, model_ratio: 2.5, completion_ratio: 4, ...ratios });
const requested = { settings: emptyMedia, text: '', seconds: undefined, groupRatio: 1, quotaPerUnit: 500_000 };

test('pictures cost by how many, how large and how good they are', () => {
  const picture = { ...requested, kind: 'picture', model: 'dall-e-3', price: perCall(0.04) } as const;
  expect(mediaCost(picture)).toBe(20_000);
  expect(mediaCost({ ...picture, groupRatio: 2 })).toBe(40_000);
  expect(mediaCost({ ...picture, settings: { ...emptyMedia, size: '1024x1792', quality: 'hd' } })).toBe(60_000);
  expect(mediaCost({ ...picture, model: 'dall-e-2', settings: { ...emptyMedia, count: 3 } })).toBe(60_000);
  const metered = { ...picture, model: 'gpt-image-1', price: byTokens({ image_output_ratio: 4 }) };
  expect(mediaCost({ ...metered, settings: { ...emptyMedia, quality: 'low', size: '1024x1024' } })).toBe(2720);
  // A parameter of another model is not sent to this one.
  expect(mediaCost({ ...picture, settings: { ...emptyMedia, quality: 'high', size: '1536x1024', count: 4 } })).toBe(20_000);
});

test('speech costs by the letter, or by the tokens that it may take', () => {
  const speech = { ...requested, kind: 'speech', model: 'tts-1', text: 'The tide comes in.' } as const;
  expect(mediaCost({ ...speech, price: perCall(0.015) })).toBe(135);
  expect(mediaCost({ ...speech, price: byTokens({}) })).toBe(45);
  const metered = mediaCost({ ...speech, model: 'gpt-4o-mini-tts', price: byTokens({ audio_output_ratio: 20 }) });
  expect(metered).toBeGreaterThan(1000);
  expect(metered).toBeLessThan(2000);
});

test('a transcript costs by the minute; of a recording whose length is not known nothing is said', () => {
  const heard = { ...requested, kind: 'transcript', model: 'whisper-1', price: perCall(0.006) } as const;
  expect(mediaCost({ ...heard, seconds: 60 })).toBe(3000);
  expect(mediaCost(heard)).toBeUndefined();
  expect(mediaCost({ ...heard, seconds: 60, price: undefined })).toBeUndefined();
  expect(mediaCost({ ...heard, seconds: 60, groupRatio: undefined })).toBeUndefined();
});

test('a video costs by its seconds and resolution; by tokens nobody knows it beforehand', () => {
  const prices = { quota_type: 1, model_price: 0.1, model_ratio: 0, completion_ratio: 1 } as const;
  const price = priceOf({
    ...prices,
    video_prices: [
      { height: 720, price: 0.1 },
      { height: 1080, price: 0.3 },
    ],
  });
  const video = { ...requested, kind: 'video', model: 'sora-2', price } as const;
  expect(mediaCost(video)).toBe(4 * 50_000);
  expect(mediaCost({ ...video, settings: { ...emptyMedia, seconds: 12, videoSize: '1080x1920' } })).toBe(12 * 150_000);
  // The model does not support twelve seconds: its default length is requested.
  expect(mediaCost({ ...video, model: 'veo-3.1-generate-preview', settings: { ...emptyMedia, seconds: 12 } })).toBe(8 * 50_000);
  // One price for all resolutions is that of 720p, and a larger video never has the lowest price.
  expect(mediaCost({ ...video, price: priceOf(prices), settings: { ...emptyMedia, seconds: 4, videoSize: '1440x2560' } })).toBe(
    4 * 200_000,
  );
  expect(mediaCost({ ...video, price: byTokens({}) })).toBeUndefined();
});
