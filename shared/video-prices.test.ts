import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPrice } from '#shared/find-price.ts';
import { pricePerSecond, priceAt, videoPrice } from '#shared/price-at.ts';
import { costOf, quotaOf } from '#shared/pricing.ts';
import { isVideoPriceName, videoPricesOf } from '#shared/video-prices.ts';

const prices = { '720p:tide*': 0.1, '720p:tide-pro*': 0.3, '1080p:tide-pro*': 0.5, '720p:tide-pro-1': 1 };

describe('prices of a second', () => {
  test('a model’s own name counts before a beginning of it, a long beginning before a short one', () => {
    expect(videoPricesOf('tide-mini', prices)).toEqual([{ height: 720, price: 0.1 }]);
    expect(videoPricesOf('tide-pro-2', prices)).toEqual([
      { height: 720, price: 0.3 },
      { height: 1080, price: 0.5 },
    ]);
    expect(videoPricesOf('tide-pro-1', prices)).toEqual([{ height: 720, price: 1 }]);
    expect(videoPricesOf('nobody', prices)).toEqual([]);
  });

  test.each(['720p:a', '2160p:b*'])('%s names one', (name) => expect(isVideoPriceName(name)).toBe(true));
  test.each(['a', '720:a', '720p:', '0720p:a', 'p:a', '4k:a'])('%s names none', (name) => expect(isVideoPriceName(name)).toBe(false));

  test.each([
    [480, 0.3],
    [720, 0.3],
    [768, 0.342],
    [1079, 0.675],
    [1080, 0.5],
    [2160, 2],
  ])('in %ip', (height, price) => expect(pricePerSecond(videoPricesOf('tide-pro-2', prices), height)).toBe(price));
});

test('the charge is that of its seconds in its resolution, as its row tells it too; no larger size is cheaper where prices rise', () => {
  const maps = { modelPrice: { plain: 0.2 }, modelRatio: {}, completionRatio: {}, cacheRatio: {}, videoPrice: prices };
  const side = fc.integer({ min: 64, max: 4096 });
  fc.assert(
    fc.property(
      fc.constantFrom('plain', 'tide-pro-2'),
      fc.integer({ min: 1, max: 60 }),
      side,
      side,
      side,
      (model, count, width, height, more) => {
        const found = findPrice(model, maps);
        if (found?.kind !== 'call') throw new Error('no price');
        const price = videoPrice(found);
        const usage = (size: string) => ({ promptTokens: 1, completionTokens: 0, units: { kind: 'second' as const, count, size } });
        const requested = usage(`${width}x${height}`);
        const quota = quotaOf(requested, price, 1);
        expect(costOf(requested, price, 1).receipt()).toMatchObject({ quota, lines: [{ part: 'second', count }] });
        const charged = priceAt(price, requested);
        // The row has the price of that resolution alone.
        expect(quotaOf(requested, { kind: 'call', modelPrice: charged.kind === 'call' ? charged.modelPrice : NaN }, 1)).toBe(quota);
        expect(quota).toBeGreaterThan(0);
        expect(
          quotaOf(usage(`${width}x${Math.max(height, more)}`), videoPrice({ kind: 'call', modelPrice: 0.2 }), 1),
        ).toBeGreaterThanOrEqual(quotaOf(requested, videoPrice({ kind: 'call', modelPrice: 0.2 }), 1));
      },
    ),
  );
});
