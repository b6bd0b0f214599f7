import { describe, expect, it } from 'vitest';
import { priceSyncFields } from '#shared/price-sync-settings.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { readCatalogue } from './catalogues/read-catalogue.ts';
import { findOffer, indexOffers } from './find-offer.ts';
import { changeToCatalogue, type ChangeTerms, isListed, type PriceChange, revisionOf } from './price-changes.ts';
import { byPriceKey, type PriceKey } from './price-lines.ts';

const providers = ['openai', 'vertex_ai'];

function termsOf(maps: Partial<Record<PriceKey, NumberMap>> = {}, terms: Partial<ChangeTerms> = {}): ChangeTerms {
  const prices = byPriceKey((key) => maps[key] ?? {});
  return { prices, quotaPerUnit: 500_000, fields: new Set(priceSyncFields), guardPercent: 20, ...terms };
}

function changeOf(model: string, document: object | string, terms = termsOf()): PriceChange | null {
  const catalogue = readCatalogue(typeof document === 'string' ? document : JSON.stringify(document));
  if (catalogue.format === 'tidegate') throw new Error('It is a list of its own');
  const found = findOffer(model, indexOffers(catalogue.offers), providers);
  if (found === null) return null;
  const change = changeToCatalogue(model, found.offer.prices, terms);
  if (change !== null && found.differs) change.guards.push('differs');
  return change;
}

const lite = (fields: Record<string, unknown>, name = 'm') => ({ [name]: { litellm_provider: 'openai', mode: 'chat', ...fields } });
const dev = (cost: Record<string, unknown>, name = 'm', provider = 'openai') => ({
  [provider]: { id: provider, models: { [name]: { id: name, cost } } },
});
const entriesOf = (change: PriceChange | null) =>
  Object.fromEntries(change?.entries.map(({ key, name, after }) => [`${key} ${name}`, after]) ?? []);

describe('price catalogues', () => {
  it('prices per token become exact ratios', () => {
    const change = changeOf(
      'm',
      lite({
        input_cost_per_token: 1.5e-7,
        output_cost_per_token: 6e-7,
        cache_read_input_token_cost: 7.5e-8,
        cache_creation_input_token_cost: 1.875e-7,
        cache_creation_input_token_cost_above_1hr: 3e-7,
        input_cost_per_audio_token: 3e-7,
        output_cost_per_audio_token: 1.2e-6,
        input_cost_per_image_token: 2e-7,
        input_cost_per_token_above_200k_tokens: 3e-7,
        output_cost_per_token_above_200k_tokens: 9e-7,
        input_cost_per_token_batches: 7.5e-8,
        output_cost_per_token_batches: 3e-7,
        input_cost_per_token_priority: 3e-7,
        output_cost_per_token_priority: 1.8e-6,
        search_context_cost_per_query: { search_context_size_low: 0.03 },
        output_cost_per_reasoning_token: 7e-7,
      }),
    );
    expect(entriesOf(change)).toEqual({
      'ModelRatio m': 0.075,
      'CompletionRatio m': 4,
      'CacheRatio m': 0.5,
      'CreateCacheRatio m': 1.25,
      'CreateCache1hRatio m': 2,
      'AudioRatio m': 2,
      'AudioCompletionRatio m': 4,
      'ImageRatio m': 1.333333333333,
      'LongInputPrice input>200000:m': 2,
      'LongInputPrice output>200000:m': 1.5,
      'TierPrice priority:m': 2,
      'TierPrice priority/completion:m': 3,
    });
    expect(change).toMatchObject({
      isNew: true,
      guards: [],
      unplaced: ['search_context_cost_per_query', 'output_cost_per_reasoning_token'],
    });
    expect(change?.lines).toContainEqual({ name: 'input', unit: 'million', after: 0.15 });
    expect(change?.lines).toContainEqual({ name: 'output', unit: 'million', after: 0.6 });
  });

  it('models.dev has prices per million, and bounds of length', () => {
    const tiers = [{ input: 4, output: 15, tier: { size: 272_000 } }];
    const change = changeOf('m', dev({ input: 2, output: 10, cache_read: 0.2, reasoning: 10, tiers }));
    expect(entriesOf(change)).toEqual({
      'ModelRatio m': 1,
      'CompletionRatio m': 5,
      'CacheRatio m': 0.1,
      'LongInputPrice input>272000:m': 2,
      'LongInputPrice output>272000:m': 1.5,
    });
    expect(change?.unplaced).toEqual([]);
    expect(entriesOf(changeOf('m', dev({ input: 2, output: 2, context_over_200k: { input: 3, output: 2 } })))).toMatchObject({
      'LongInputPrice input>200000:m': 1.5,
    });
  });

  it.each([
    ['image_generation', { output_cost_per_image: 0.04, output_cost_per_token: 0 }, 'ModelPrice m', 0.04],
    ['rerank', { input_cost_per_query: 0.002, input_cost_per_token: 0 }, 'ModelPrice m', 0.002],
    ['audio_transcription', { input_cost_per_second: 0.0001, output_cost_per_second: 0 }, 'ModelPrice m', 0.006],
    ['audio_speech', { input_cost_per_character: 0.000015 }, 'ModelRatio m', 7.5],
    ['video_generation', { output_cost_per_second: 0.1, output_cost_per_second_1080p: 0.3 }, 'VideoPrice 720p:m', 0.1],
  ])('%s has another unit', (mode, fields, entry, value) => {
    expect(entriesOf(changeOf('m', lite({ mode, ...fields })))).toMatchObject({ [entry]: value });
  });

  it.each([
    ['a text', '"0.1"'],
    ['below zero', '-1e-6'],
    ['beyond every price', '1e999'],
    ['huge', '1e30'],
    ['next to nothing', '1e-300'],
    ['a list', '[1]'],
  ])('a price that is %s makes its model invalid, and no other', (_name, value) => {
    const good = '"good":{"litellm_provider":"openai","input_cost_per_token":1e-6}';
    const catalogue = readCatalogue(`{"bad":{"litellm_provider":"x","input_cost_per_token":${value}},${good}}`);
    expect(catalogue).toMatchObject({ invalid: ['bad'], offers: [{ model: 'good' }] });
  });

  it('names that mean something to JavaScript are models like others, or none', () => {
    const catalogue = readCatalogue(
      '{"__proto__":{"litellm_provider":"x","input_cost_per_token":1},"constructor":{"litellm_provider":"x","input_cost_per_token":1e-6}}',
    );
    expect(catalogue).toMatchObject({ invalid: ['__proto__'], offers: [{ model: 'constructor' }] });
    expect(Object.prototype).not.toHaveProperty('litellm_provider');
    expect(changeOf('toString', dev({ input: 1 }))).toBeNull();
  });

  it.each([
    ['not_json', '{"a": NaN}'],
    ['not_json', ''],
    ['repeated_name', '{"m":{"litellm_provider":"x","input_cost_per_token":1e-6,"input_cost_per_token":1e-9}}'],
    ['repeated_name', '{"m":{"litellm_provider":"x"},"\\u006d":{"litellm_provider":"x"}}'],
    ['unknown_format', '[]'],
    ['unknown_format', '{"a":{"b":1}}'],
    ['too_large', `[${'[],'.repeat(1_500_001)}[]]`],
  ])('%s is refused as a whole', (reason, text) => {
    expect(() => readCatalogue(text)).toThrow(expect.objectContaining({ reason }));
  });

  it('guards what a person must see', () => {
    const at = (ratio: number, more: Partial<Record<PriceKey, NumberMap>> = {}) => termsOf({ ModelRatio: { m: ratio }, ...more });
    const guardsOf = (cost: Record<string, unknown>, terms: ChangeTerms) => changeOf('m', dev(cost), terms)?.guards;
    expect(guardsOf({ input: 2.4 }, at(1))).toEqual([]);
    expect(guardsOf({ input: 2.5 }, at(1))).toEqual(['moved']);
    expect(guardsOf({ input: 1.5 }, at(1))).toEqual(['moved']);
    expect(guardsOf({ input: 0, output: 0 }, at(1))).toEqual(['free']);
    expect(guardsOf({ input: 2, cache_read: 0 }, at(1, { CacheRatio: { m: 0.1 } }))).toEqual(['free']);
    expect(guardsOf({ input: 2 }, termsOf({ ModelPrice: { m: 0.1 } }))).toEqual(['kind']);
    // What is not stated follows the price of input, and is looked at as well.
    expect(guardsOf({ input: 2, output: 10 }, at(1, { CompletionRatio: { m: 4 } }))).toEqual(['moved']);
    expect(changeOf('m', dev({ input: 2 }), at(1))).toBeNull();
  });

  it('a free input with a price of output, and fixed output ratios, are named', () => {
    expect(changeOf('m', dev({ input: 0, output: 4 }))).toBeNull();
    expect(changeOf('gpt-4o', dev({ input: 2, output: 6 }, 'gpt-4o'), termsOf({ ModelRatio: { 'gpt-4o': 1.25 } }))).toMatchObject({
      unplaced: ['output'],
    });
  });

  it('the first listed provider counts; of others the most expensive one, which a person confirms', () => {
    const many = { ...dev({ input: 9 }, 'x/m', 'reseller'), ...dev({ input: 2 }), ...dev({ input: 0 }, 'm', 'copilot') };
    expect(entriesOf(changeOf('m', many))).toEqual({ 'ModelRatio m': 1 });
    const others = { ...dev({ input: 3 }, 'm', 'a'), ...dev({ input: 4 }, 'm', 'b'), ...dev({ input: 0 }, 'm', 'c') };
    expect(changeOf('m', others)).toMatchObject({ guards: ['differs'], entries: [{ after: 2 }] });
    expect(entriesOf(changeOf('m', lite({ litellm_provider: 'vertex_ai-models', input_cost_per_token: 1e-6 }, 'vertex_ai/m')))).toEqual({
      'ModelRatio m': 0.5,
    });
  });

  it('changes what the settings select, and nothing that a catalogue does not state', () => {
    const terms = termsOf({ ModelRatio: { m: 1 }, CacheRatio: { m: 0.1 }, AudioRatio: { m: 2 } }, { fields: new Set(['text']) });
    expect(entriesOf(changeOf('m', dev({ input: 4, cache_read: 2 }), terms))).toEqual({ 'ModelRatio m': 2 });
    expect(changeOf('m', dev({ input: 4 }), termsOf({ ModelPrice: { m: 1 } }, { fields: new Set(['text']) }))).toBeNull();
    expect(isListed('gpt-5-mini', ['gpt-5*'])).toBe(true);
  });

  it('a revision is that of one content', () => {
    const change = changeOf('m', dev({ input: 2 }));
    expect(change === null ? '' : revisionOf(change)).toMatch(/^[\w-]{22}$/);
    const entries = [{ key: 'ModelRatio' as const, name: 'm', after: 1 }];
    const line = { name: 'input', unit: 'million' as const, after: 2 };
    const revisions = [
      revisionOf({ entries, lines: [line] }),
      revisionOf({ entries: [{ key: 'ModelRatio', name: 'm', before: 1, after: 1 }], lines: [line] }),
      revisionOf({ entries, lines: [{ ...line, after: 1 }] }),
    ];
    expect(new Set(revisions).size).toBe(3);
  });
});
