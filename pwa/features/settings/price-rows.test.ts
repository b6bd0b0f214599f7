import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedTexts, editOf, fillEdit, removal, shownNumber, typedNumber } from './price-edits.ts';
import { cellOf, mapsOf, type PriceMaps, priceChanges, pricedModels, priceKeys, rowOf } from './price-rows.ts';

const usd = { unit: 'usd', quotaPerUnit: 500_000 } as const;
const ratios = { unit: 'ratio', quotaPerUnit: 500_000 } as const;

function mapsFrom(texts: Partial<Record<string, object>>): PriceMaps {
  const maps = mapsOf((key) => JSON.stringify(texts[key] ?? {}));
  if (maps === undefined) throw new Error('No maps');
  return maps;
}
const maps = mapsFrom({
  ModelPrice: { 'dall-e-3': 0.04 },
  ModelRatio: { 'house-model': 1.25, 'gpt-4o': 1.25, 'dall-e-3': 8, free: 0 },
  CompletionRatio: { 'house-model': 4 },
  CacheRatio: { 'house-model': 0.5 },
});

describe('price rows', () => {
  it('are models with any value, and what each cell shows', () => {
    expect(pricedModels(maps)).toEqual(['dall-e-3', 'free', 'gpt-4o', 'house-model']);
    const row = rowOf(maps, 'house-model');
    expect(['input', 'output', 'cached', 'price'].map((field) => cellOf(row, field as 'input', usd))).toEqual([2.5, 10, 1.25, undefined]);
    expect(['input', 'output', 'cached'].map((field) => cellOf(row, field as 'input', ratios))).toEqual([1.25, 4, 0.5]);
    expect(cellOf(rowOf(maps, 'dall-e-3'), 'price', usd)).toBe(0.04);
    expect(cellOf(rowOf(maps, 'nobody'), 'output', usd)).toBeUndefined();
  });

  it('know whose output price is built in, and cannot be set', () => {
    expect(rowOf(maps, 'gpt-4o')).toMatchObject({ isCompletionFixed: true, completionIs: 4 });
    expect(rowOf(maps, 'house-model').isCompletionFixed).toBe(false);
    expect(cellOf(rowOf(maps, 'gpt-4o'), 'output', usd)).toBe(10);
  });

  it('are none while a text is no map', () => {
    expect(mapsOf((key) => (key === 'ModelRatio' ? '{"a":' : '{}'))).toBeUndefined();
  });
});

describe('what a cell shows while nobody types in it', () => {
  it.each([
    [undefined, true, ''],
    [3, true, '3.00'],
    [0.5, true, '0.50'],
    [0.0675, true, '0.0675'],
    [0.547945205479, true, '0.54795'],
    [1234.5, true, '1234.50'],
    [0, true, '0.00'],
    [0.000000125, true, '1.25e-7'],
    [1.25, false, '1.25'],
    [4, false, '4'],
    [0.0333333333333, false, '0.033333'],
  ])('%s, a price: %s, is %s', (value, isPrice, shown) => {
    expect(shownNumber(value, { isPrice })).toBe(shown);
  });
});

it('what two states differ in is told in USD, with what follows for the other prices', () => {
  const after = mapsFrom({
    ModelPrice: { 'dall-e-3': 0.05, fresh: 0.2 },
    ModelRatio: { 'house-model': 1.5, 'gpt-4o': 1.25, 'dall-e-3': 8 },
    CompletionRatio: { 'house-model': 4 },
    CacheRatio: { 'house-model': 0.5 },
  });
  expect(priceChanges(maps, after, 500_000)).toEqual([
    { model: 'dall-e-3', unit: 'usd', fields: [{ field: 'price', before: 0.04, after: 0.05 }] },
    {
      model: 'free',
      unit: 'usd',
      fields: [
        { field: 'input', before: 0, after: undefined },
        { field: 'output', before: 0, after: undefined },
      ],
    },
    { model: 'fresh', unit: 'usd', fields: [{ field: 'price', before: undefined, after: 0.2 }] },
    {
      model: 'house-model',
      unit: 'usd',
      fields: [
        { field: 'input', before: 2.5, after: 3 },
        { field: 'output', before: 10, after: 12 },
        { field: 'cached', before: 1.25, after: 1.5 },
      ],
    },
  ]);
  expect(priceChanges(maps, maps, 500_000)).toEqual([]);
});

describe('what is told of a change', () => {
  const thirds = mapsFrom({ ModelRatio: { m: 3 }, CompletionRatio: { m: 0.333333333333 }, AudioCompletionRatio: { other: 2 } });

  it('leaves out what a quotient makes of a price that stays', () => {
    const row = rowOf(thirds, 'm');
    const edit = editOf(row, { field: 'input', value: 7 }, usd);
    if (edit === 'zero_input') throw new Error('refused');
    const texts = editedTexts(thirds, ['m'], edit);
    const after = mapsOf((key) => texts.get(key) ?? JSON.stringify(Object.fromEntries(thirds[key])));
    if (after === undefined) throw new Error('No maps');
    expect(priceChanges(thirds, after, 500_000)).toEqual([{ model: 'm', unit: 'usd', fields: [{ field: 'input', before: 6, after: 7 }] }]);
  });

  it('is told as a ratio where there is no price to tell it in', () => {
    const after = { ...thirds, AudioCompletionRatio: new Map([['other', 3]]) };
    expect(priceChanges(thirds, after, 500_000)).toEqual([
      { model: 'other', unit: 'ratio', fields: [{ field: 'spoken', before: 2, after: 3 }] },
    ]);
  });
});

describe('prices of cache writes and of audio', () => {
  const audio = mapsFrom({
    ModelRatio: { m: 1.25 },
    CompletionRatio: { m: 4 },
    CreateCacheRatio: { m: 1.25 },
    CreateCache1hRatio: { m: 2 },
    AudioRatio: { m: 16 },
    AudioCompletionRatio: { m: 2 },
    AudioCacheRatio: { m: 0.0625 },
  });
  const shown = (now: PriceMaps) =>
    (['input', 'output', 'written', 'heard', 'spoken', 'cachedAudio'] as const).map((field) => cellOf(rowOf(now, 'm'), field, usd));
  const after = (edit: ReturnType<typeof editOf>): PriceMaps => {
    if (edit === 'zero_input') throw new Error('refused');
    const texts = editedTexts(audio, ['m'], edit);
    return mapsOf((key) => texts.get(key) ?? JSON.stringify(Object.fromEntries(audio[key]))) ?? audio;
  };

  it('stand in USD, and stay what they are when another is typed', () => {
    expect(shown(audio)).toEqual([2.5, 10, 3.125, 40, 80, 2.5]);
    expect(shown(after(editOf(rowOf(audio, 'm'), { field: 'input', value: 5 }, usd)))).toEqual([5, 10, 3.125, 40, 80, 2.5]);
    expect(shown(after(editOf(rowOf(audio, 'm'), { field: 'heard', value: 32 }, usd)))).toEqual([2.5, 10, 3.125, 32, 80, 2.5]);
    expect(shown(after(editOf(rowOf(audio, 'm'), { field: 'spoken', value: 64 }, usd)))).toEqual([2.5, 10, 3.125, 40, 64, 2.5]);
    expect(shown(after(editOf(rowOf(audio, 'm'), { field: 'written', value: 3 }, usd)))).toEqual([2.5, 10, 3, 40, 80, 2.5]);
    expect(shown(after(editOf(rowOf(audio, 'm'), { field: 'cachedAudio', value: 4 }, usd)))).toEqual([2.5, 10, 3.125, 40, 80, 4]);
  });

  it('speech without a price of hearing is a factor of the input', () => {
    const plain = mapsFrom({ ModelRatio: { m: 1 } });
    expect(editOf(rowOf(plain, 'm'), { field: 'spoken', value: 6 }, usd)).toEqual({ AudioCompletionRatio: 3 });
  });
});

describe('the edited cell alone changes in USD', () => {
  const tokens = ['input', 'output', 'cached', 'written', 'writtenHour', 'heard', 'cachedAudio', 'spoken', 'seen', 'drawn'] as const;
  const shown = (now: PriceMaps, model: string) => tokens.map((field) => cellOf(rowOf(now, model), field, usd));
  const type = (now: PriceMaps, model: string, field: (typeof tokens)[number], value: number | undefined, saved = now): PriceMaps => {
    const edit = editOf(rowOf(now, model), { field, value }, usd, rowOf(saved, model));
    if (edit === 'zero_input') throw new Error('refused');
    const texts = editedTexts(now, [model], edit);
    return mapsOf((key) => texts.get(key) ?? JSON.stringify(Object.fromEntries(now[key]))) ?? now;
  };
  const full = mapsFrom({
    ModelRatio: { all: 1.25 },
    CompletionRatio: { all: 4 },
    CacheRatio: { all: 0.1 },
    CreateCacheRatio: { all: 1.25 },
    CreateCache1hRatio: { all: 2 },
    AudioRatio: { all: 16 },
    AudioCacheRatio: { all: 0.05 },
    AudioCompletionRatio: { all: 2 },
    ImageRatio: { all: 2 },
    ImageCompletionRatio: { all: 4 },
  });

  // Built-in output prices, of a family or of a vendor's list, are factors of the input as well.
  it.each(['claude-haiku-4-5', 'gpt-5-mini', 'gemini-2.5-pro', 'claude-sonnet-4-5', 'deepseek-v4-pro', 'grok-4'])(
    '%s: output stays',
    (model) => {
      const before = mapsFrom({ ModelRatio: { [model]: 0.5 }, CacheRatio: { [model]: 0.1 } });
      expect(rowOf(before, model).isCompletionFixed).toBe(false);
      const [, ...others] = shown(before, model);
      expect(shown(type(before, model, 'input', 1.2), model)).toEqual([1.2, ...others]);
    },
  );

  it('whichever it is, and whether it is typed or emptied', () => {
    const before = shown(full, 'all');
    for (const [index, field] of tokens.entries()) {
      const typed = shown(type(full, 'all', field, 7), 'all');
      expect(typed, field).toEqual(before.with(index, 7));
      // Without an input price there are no others; without one of its own the output has that of the input.
      if (field === 'input' || field === 'output') continue;
      expect(shown(type(full, 'all', field, undefined), 'all'), `${field} emptied`).toEqual(before.with(index, undefined));
    }
  });

  it('prices of sound and pictures that have no price of what goes in', () => {
    const bare = mapsFrom({ ModelRatio: { all: 1 }, AudioCompletionRatio: { all: 6 }, ImageCompletionRatio: { all: 20 } });
    const before = shown(bare, 'all');
    expect([before[7], before[9]]).toEqual([12, 40]);
    expect(shown(type(bare, 'all', 'input', 4), 'all')).toEqual(before.with(0, 4));
    expect(shown(type(bare, 'all', 'heard', 3), 'all')).toEqual(before.with(5, 3));
  });

  it('an input price that was taken away or 0 for a moment brings the others back', () => {
    for (const gone of [undefined, 0]) {
      const emptied = type(full, 'all', 'input', gone);
      expect(shown(type(emptied, 'all', 'input', 5, full), 'all')).toEqual(shown(full, 'all').with(0, 5));
    }
  });

  it('but for an output price at a fixed ratio, which moves along', () => {
    const fixed = mapsFrom({ ModelRatio: { 'gpt-4o': 1.25 }, CacheRatio: { 'gpt-4o': 0.5 } });
    expect(shown(type(fixed, 'gpt-4o', 'input', 5), 'gpt-4o').slice(0, 3)).toEqual([5, 20, 1.25]);
  });
});

describe('edits of prices', () => {
  it('in USD become the ratios that are stored', () => {
    const row = rowOf(maps, 'house-model');
    expect(editOf(row, { field: 'input', value: 5 }, usd)).toEqual({ ModelRatio: 2.5, CompletionRatio: 2, CacheRatio: 0.25 });
    expect(editOf(row, { field: 'output', value: 15 }, usd)).toEqual({ CompletionRatio: 6 });
    expect(editOf(row, { field: 'cached', value: 0.25 }, usd)).toEqual({ CacheRatio: 0.1 });
    expect(editOf(row, { field: 'price', value: 0.1 }, usd)).toEqual({ ModelPrice: 0.1 });
    expect(editOf(row, { field: 'output', value: 3 }, ratios)).toEqual({ CompletionRatio: 3 });
    expect(editOf(row, { field: 'output', value: undefined }, usd)).toEqual({ CompletionRatio: undefined });
    expect(editOf(row, { field: 'input', value: 5 }, { unit: 'usd', quotaPerUnit: 1_000_000 })).toMatchObject({ ModelRatio: 5 });
  });

  it('need an input price above 0 before an output price can be kept', () => {
    expect(editOf(rowOf(maps, 'free'), { field: 'output', value: 1 }, usd)).toBe('zero_input');
    expect(editOf(rowOf(maps, 'nobody'), { field: 'cached', value: 1 }, usd)).toBe('zero_input');
  });

  it('show what was typed, whatever it was', () => {
    const price = fc.integer({ min: 1, max: 100_000_000 }).map((units) => units / 10_000);
    fc.assert(
      fc.property(price, price, price, (input, output, cached) => {
        let now = mapsFrom({});
        const type = (field: 'input' | 'output' | 'cached', value: number) => {
          const edit = editOf(rowOf(now, 'house-model'), { field, value }, usd);
          if (edit === 'zero_input') throw new Error('refused');
          const texts = editedTexts(now, ['house-model'], edit);
          const before = now;
          now = mapsOf((key) => texts.get(key) ?? JSON.stringify(Object.fromEntries(before[key]))) ?? before;
        };
        type('input', input);
        type('output', output);
        type('cached', cached);
        const row = rowOf(now, 'house-model');
        expect(cellOf(row, 'input', usd)).toBeCloseTo(input, 8);
        expect(cellOf(row, 'output', usd)).toBeCloseTo(output, 6);
        // Another input price leaves the others as they are.
        type('input', input * 2);
        expect(cellOf(rowOf(now, 'house-model'), 'output', usd)).toBeCloseTo(output, 6);
        expect(cellOf(rowOf(now, 'house-model'), 'cached', usd)).toBeCloseTo(cached, 6);
      }),
    );
  });

  it('of many at once: a price takes the place of ratios, a ratio that of a price', () => {
    const models = ['dall-e-3', 'house-model'];
    const priced = editedTexts(maps, models, fillEdit({ price: 0.2 }));
    expect(JSON.parse(priced.get('ModelPrice') ?? '')).toEqual({ 'dall-e-3': 0.2, 'house-model': 0.2 });
    expect(JSON.parse(priced.get('ModelRatio') ?? '')).toEqual({ 'gpt-4o': 1.25, free: 0 });
    expect(JSON.parse(priced.get('CompletionRatio') ?? '')).toEqual({});
    expect(priced.has('CacheRatio')).toBe(false);
    const both = editedTexts(maps, models, fillEdit({ ratio: 2, completion: 3 }));
    expect(JSON.parse(both.get('ModelPrice') ?? '')).toEqual({});
    expect(JSON.parse(both.get('ModelRatio') ?? '')).toMatchObject({ 'dall-e-3': 2, 'house-model': 2 });
    const completion = editedTexts(maps, ['gpt-4o'], fillEdit({ completion: 3 }));
    expect([...completion.keys()]).toEqual(['CompletionRatio']);
  });

  it('remove a model from all of the maps', () => {
    const texts = editedTexts(maps, ['house-model'], removal);
    expect([...texts.values()].some((text) => text.includes('house-model'))).toBe(false);
    expect(texts.size).toBe(priceKeys.length);
  });

  it.each([
    ['1.25', 1.25],
    [' 1,000 ', 1000],
    ['.5', 0.5],
    ['0', 0],
    ['', undefined],
    ['-1', null],
    ['1e3', null],
    ['abc', null],
  ])('%j is read as %s', (text, value) => expect(typedNumber(text)).toBe(value));
});
