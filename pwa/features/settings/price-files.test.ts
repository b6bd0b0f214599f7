import { describe, expect, test } from 'vitest';
import { catalogueEdits, readCatalogue } from './price-catalogue.ts';
import { priceFileText, readPriceFile } from './price-files.ts';
import { editedTextsOfMany } from './price-edits.ts';
import { cellOf, mapsOf, type PriceMaps, rowOf } from './price-rows.ts';

function mapsFrom(texts: Partial<Record<string, object>>): PriceMaps {
  const maps = mapsOf((key) => JSON.stringify(texts[key] ?? {}));
  if (maps === undefined) throw new Error('No maps');
  return maps;
}
const usd = { unit: 'usd', quotaPerUnit: 500_000 } as const;

describe('prices as a file', () => {
  test('what is written is read again', () => {
    const maps = mapsFrom({ ModelPrice: { b: 0.04, a: 1 }, ModelRatio: { x: 1.25 }, CacheRatio: { x: 0 } });
    const texts = readPriceFile(priceFileText(maps));
    expect([...(texts ?? [])].map(([key, text]) => [key, JSON.parse(text)])).toEqual([
      ['ModelPrice', { a: 1, b: 0.04 }],
      ['ModelRatio', { x: 1.25 }],
      ['CompletionRatio', {}],
      ['CacheRatio', { x: 0 }],
      ['CreateCacheRatio', {}],
      ['CreateCache1hRatio', {}],
      ['AudioRatio', {}],
      ['AudioCompletionRatio', {}],
      ['AudioCacheRatio', {}],
      ['ImageRatio', {}],
      ['ImageCompletionRatio', {}],
    ]);
  });

  test('only the maps that a file has are changed', () => {
    expect([...(readPriceFile('{"ModelRatio":{"x":2},"note":"of May"}')?.keys() ?? [])]).toEqual(['ModelRatio']);
  });

  test('what is no such file is refused as a whole', () => {
    const broken = [
      '',
      '[]',
      '{}',
      '7',
      '{"ModelRatio":{"x":"2"}}',
      '{"ModelRatio":{"x":-1}}',
      '{"ModelRatio":{"x":1},"CacheRatio":[1]}',
      '{"ModelRatio":{"":1}}',
    ];
    for (const text of broken) expect(readPriceFile(text), text).toBeUndefined();
  });
});

describe('prices of the catalogue', () => {
  const catalogue = { 'house-model': [3, 15, 0.3], 'gpt-4o': [2.5, 10, 1.25], embedding: [0.02], broken: [0, 1] };

  test('make of a model without a price what its provider asks', () => {
    const maps = mapsFrom({ ModelRatio: { other: 1 } });
    const edits = catalogueEdits(['house-model', 'gpt-4o', 'embedding', 'broken', 'nobody'], catalogue, 500_000);
    expect([...edits.keys()]).toEqual(['house-model', 'gpt-4o', 'embedding']);
    // Its completion ratio is built in.
    expect(edits.get('gpt-4o')).toEqual({ ModelRatio: 1.25, CacheRatio: 0.5 });
    const texts = editedTextsOfMany(maps, edits);
    const after = mapsOf((key) => texts.get(key) ?? JSON.stringify(Object.fromEntries(maps[key])));
    if (after === undefined) throw new Error('No maps');
    for (const [model, [input, output, cached]] of Object.entries({ 'house-model': [3, 15, 0.3], 'gpt-4o': [2.5, 10, 1.25] })) {
      const row = rowOf(after, model);
      expect(['input', 'output', 'cached'].map((field) => cellOf(row, field as 'input', usd))).toEqual([input, output, cached]);
    }
    expect(after.ModelRatio.get('other')).toBe(1);
  });

  test('the catalogue that comes with the console is one, and its prices are exact after the way there and back', async () => {
    const prices = await readCatalogue();
    const models = Object.keys(prices);
    expect(models.length).toBeGreaterThan(50);
    const edits = catalogueEdits(models, prices, 500_000);
    expect(edits.size).toBe(models.length);
    for (const [model, { ModelRatio = 0 }] of edits) {
      const [input] = prices[model] ?? [];
      expect(cellOf(rowOf(mapsFrom({ ModelRatio: { [model]: ModelRatio } }), model), 'input', usd), model).toBe(input);
    }
  });
});
