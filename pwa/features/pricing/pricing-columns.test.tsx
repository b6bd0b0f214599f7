import i18next from 'i18next';
import { beforeAll, expect, test } from 'vitest';
import type { PricingEntry } from '#shared/models.ts';
import { drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { pricingColumns } from './pricing-columns.tsx';

beforeAll(() => startScreenTexts('pricing'));

function entry(fields: Partial<PricingEntry>): PricingEntry {
  return {
    model_name: 'model',
    quota_type: 0,
    model_ratio: 2.5,
    completion_ratio: 1,
    cache_ratio: 0.25,
    model_price: 0,
    owner_by: '',
    enable_groups: ['default'],
    has_price: true,
    ...fields,
  };
}

/** What a column, or the card, shows of a model. */
function shown(column: string, fields: Partial<PricingEntry>): string {
  const found = pricingColumns(i18next.t, { list: undefined, group: 'default', onGroup: () => {} }).find(({ key }) => key === column);
  const screen = drawScreen(<p>{found?.cell(entry(fields))}</p>);
  // Without the toasts of other tests.
  const text = document.querySelector('p')?.textContent ?? '';
  screen.leave();
  return text;
}

// As the price list has gpt-image-1: words at 5, pictures read at 10 and made at 40 USD per 1M tokens.
const image: Partial<PricingEntry> = { model_ratio: 2.5, image_ratio: 2, image_output_ratio: 8 };

test('pricing: the row of an image model says what images cost, not what words would', () => {
  expect(shown('prompt', image)).toMatch(/^5\.0/);
  expect(shown('completion', image)).toBe('40.00 image');
  expect(shown('both', image)).toBe('$5.00 → $40.00 image');
});

test('pricing: a model that writes words, too, has both prices, words first', () => {
  expect(shown('completion', { ...image, completion_ratio: 4 })).toBe('20.00 · 40.00 image');
  expect(shown('both', { ...image, completion_ratio: 4 })).toBe('$5.00 → $20.00');
});

test('pricing: a speech model that is paid by the character has one price, with what it is for', () => {
  const speech: Partial<PricingEntry> = { model_name: 'tts-1', model_ratio: 7.5, cache_ratio: 1, unit: 'million_characters' };
  expect(shown('prompt', speech)).toBe('15.00 / 1M characters');
  expect([shown('cached', speech), shown('completion', speech)]).toEqual(['—', '—']);
  expect(shown('both', speech)).toBe('$15.00');
});

test('pricing: a model that only reads has no price for what it does not write', () => {
  const embedding: Partial<PricingEntry> = { model_name: 'text-embedding-3-small', model_ratio: 0.01, cache_ratio: 1 };
  expect(shown('prompt', embedding)).toMatch(/^0\.02/);
  expect([shown('cached', embedding), shown('completion', embedding)]).toEqual(['—', '—']);
  expect(shown('both', embedding)).toBe('$0.02');
});

test('pricing: a model that writes words alone has one price', () => {
  expect(shown('both', { completion_ratio: 4 })).toBe('$5.00 → $20.00');
});
