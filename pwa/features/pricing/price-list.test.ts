import { expect, test } from 'vitest';
import type { PricingEntry } from '#shared/models.ts';
import { acceptsUnpriced } from '#pwa/api/accepts-unpriced.ts';
import {
  filterEntries,
  groupsOf,
  inOrder,
  isAvailableIn,
  longPricesIn,
  pricesOf,
  tierOf,
  unitOf,
  withoutPriceNeeded,
} from './price-list.ts';

function entry(model_name: string, fields: Partial<PricingEntry> = {}): PricingEntry {
  return {
    model_name,
    quota_type: 0,
    model_ratio: 1.25,
    completion_ratio: 4,
    cache_ratio: 0.5,
    model_price: 0,
    owner_by: '',
    enable_groups: ['default'],
    has_price: true,
    ...fields,
  };
}
const names = (entries: readonly PricingEntry[]) => entries.map((one) => one.model_name);

test('price list: gpt first, then by name', () => {
  expect(
    names(inOrder([entry('o3-mini'), entry('gpt-4o'), entry('claude-3-haiku'), entry('gpt-3.5-turbo'), entry('chatgpt-4o-latest')])),
  ).toEqual(['gpt-3.5-turbo', 'gpt-4o', 'chatgpt-4o-latest', 'claude-3-haiku', 'o3-mini']);
});

test('price list: searching does not mind case, separators or the order of words', () => {
  const entries = [entry('gpt-4o'), entry('gpt-4o-mini'), entry('Claude-3-5-sonnet')];
  const find = (keyword: string) => names(filterEntries(entries, { keyword, billing: undefined, availableIn: undefined }));
  expect(find('GPT4o')).toEqual(['gpt-4o', 'gpt-4o-mini']);
  expect(find('sonnet claude')).toEqual(['Claude-3-5-sonnet']);
  expect(find('  ')).toHaveLength(3);
  expect(find('gpt sonnet')).toEqual([]);
});

test('price list: filters by billing and by what the viewed group may use', () => {
  const entries = [entry('gpt-4o'), entry('dall-e-3', { quota_type: 1, model_price: 0.04, enable_groups: ['vip'] })];
  const find = (filters: { billing?: 'usage' | 'call'; availableIn?: string }) =>
    names(filterEntries(entries, { keyword: '', billing: undefined, availableIn: undefined, ...filters }));
  expect(find({ billing: 'call' })).toEqual(['dall-e-3']);
  expect(find({ availableIn: 'default' })).toEqual(['gpt-4o']);
  expect(find({ billing: 'call', availableIn: 'default' })).toEqual([]);
});

test('price list: what has no price is available to nobody, except where calls need none', () => {
  const unpriced = entry('model-x', { has_price: false });
  expect(isAvailableIn(unpriced, 'default')).toBe(false);
  expect(isAvailableIn(entry('gpt-4o'), 'default')).toBe(true);
  expect(names(filterEntries([unpriced, entry('gpt-4o')], { keyword: '', billing: undefined, availableIn: 'default' }))).toEqual([
    'gpt-4o',
  ]);
  const [needsNone] = withoutPriceNeeded({ entries: [unpriced], groupRatio: {}, usableGroup: {} }).entries;
  expect(needsNone !== undefined && isAvailableIn(needsNone, 'default')).toBe(true);
});

test.each([
  ['{"accept_unset_model_ratio_model":true}', true],
  ['{"accept_unset_model_ratio_model":false}', false],
  ['', false],
  ['null', false],
])('price list: a user with the setting %j calls models without a price: %s', (setting, accepts) => {
  expect(acceptsUnpriced({ setting })).toBe(accepts);
});

test('price list: prices follow the group', () => {
  expect(pricesOf(entry('gpt-4o'), 0.8, 500_000)).toEqual({ kind: 'usage', prompt: 2, cached: 1, completion: 8 });
  expect(pricesOf(entry('dall-e-3', { quota_type: 1, model_price: 0.04 }), 0.8, 500_000)).toEqual({ kind: 'call', call: 0.032 });
});

test('price list: a price is as long as people read it, and a small one is not lost', () => {
  const tts = entry('gemini-2.5-flash-preview-tts', { model_ratio: 0.25, completion_ratio: 8.333_333_333, cache_ratio: 0.000_001 });
  expect(pricesOf(tts, 1, 500_000)).toEqual({ kind: 'usage', prompt: 0.5, cached: 0.000_000_5, completion: 4.166_67 });
  const long = { ...tts, long_inputs: [{ above: 1, input: 2, output: 1 / 3 }] };
  expect(longPricesIn(long, 1, 500_000)[0]).toMatchObject({ prompt: 1, completion: 1.388_89 });
});

test('price list: only groups that one may use and that have a ratio are offered', () => {
  expect(
    groupsOf({ entries: [], groupRatio: { vip: 0.8, default: 1, svip: 0.5 }, usableGroup: { default: '', vip: '', gone: '' } }),
  ).toEqual(['default', 'vip']);
});

test.each([
  [0.8, 'base'],
  [1, 'base'],
  [1.01, 'raised'],
  [3, 'raised'],
  [5, 'high'],
  [5.1, 'very_high'],
])('price list: a ratio of %s is %s', (ratio, tier) => {
  expect(tierOf(ratio)).toBe(tier);
});

test('price list: long prompts have prices of their own, the lowest bound first', () => {
  const longInputs = [
    { above: 200_000, input: 3, output: 2 },
    { above: 32_000, input: 2, output: 1.5 },
  ];
  const long = entry('gpt-5.4', { model_ratio: 1, completion_ratio: 4, cache_ratio: 0.1, long_inputs: longInputs });
  expect(longPricesIn(long, 0.5, 500_000)).toEqual([
    { above: 32_000, prompt: 2, cached: 0.2, completion: 6 },
    { above: 200_000, prompt: 3, cached: 0.3, completion: 8 },
  ]);
  expect(longPricesIn(entry('gpt-4o'), 1, 500_000)).toEqual([]);
});

test('price list: sound and pictures of long prompts, from the cache and written, have their factors', () => {
  const own = {
    audio_ratio: 2,
    audio_output_ratio: 8,
    audio_cache_ratio: 0.5,
    image_ratio: 3,
    image_output_ratio: 10,
    image_cache_ratio: 0.3,
  };
  const long = entry('gemini-9-pro', {
    model_ratio: 1,
    cache_creation_ratio: 1.25,
    ...own,
    long_inputs: [{ above: 200_000, input: 2, output: 1.5 }],
  });
  expect(longPricesIn(long, 1, 500_000)).toMatchObject([
    { written: 5, heard: 8, cachedAudio: 2, seen: 12, cachedImage: 1.2, spoken: 24, drawn: 30 },
  ]);
});

test('price list: a price is taken for what the server says, and a list from before it said so tells what it can', () => {
  expect(unitOf({ ...entry('tts-1'), unit: 'million_characters' })).toBe('million_characters');
  expect(unitOf(entry('tts-1'))).toBe('tokens');
  expect(unitOf(entry('dall-e-3', { quota_type: 1, model_price: 0.04 }))).toBe('call');
  expect(unitOf(entry('sora-2', { quota_type: 1, model_price: 0.1, video_prices: [{ height: 720, price: 0.1 }] }))).toBe('second');
});
