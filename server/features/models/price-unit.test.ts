import { expect, test } from 'vitest';
import type { Price } from '#shared/pricing.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { priceUnitOf } from './price-unit.ts';

const perCall: Price = { kind: 'call', modelPrice: 0.04 };
const perSecond: Price = { kind: 'call', modelPrice: 0.1, videos: [{ height: 720, price: 0.1 }] };

test.each([
  ['dall-e-3', 1, perCall, 'image'],
  ['whisper-1', 1, perCall, 'minute'],
  ['tts-1-hd', 1, perCall, 'characters'],
  ['rerank-v3.5', 34, perCall, 'search'],
  // Its searches are not reported, so they are not charged.
  ['rerank-v3.5', 1, perCall, 'call'],
  ['gpt-4-gizmo-g-1', 1, perCall, 'call'],
  // A conversation, whatever comes of it.
  ['gemini-2.5-flash-image', 24, perCall, 'call'],
  ['sora-2', 55, perSecond, 'second'],
  ['tts-1', 1, null, 'million_characters'],
  ['gpt-4o-mini-tts', 1, null, 'tokens'],
  ['whisper-1', 1, null, 'thousand_minutes'],
  ['gpt-4o-transcribe', 1, null, 'tokens'],
  ['gpt-4o', 1, null, 'tokens'],
  // Which has no speech.
  ['tts-1', 14, null, 'tokens'],
] as const)('%s of type %i', (model, type, price, unit) => {
  const channel = buildPreparedChannel({ type, models: model });
  expect(priceUnitOf(model, price, [channel])).toBe(unit);
});

test('a name of ours is what is asked there', () => {
  const channel = buildPreparedChannel({ type: 1, model_mapping: '{"our-voice":"tts-1"}' });
  expect(priceUnitOf('our-voice', null, [channel])).toBe('million_characters');
});
