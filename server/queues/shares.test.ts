import { expect, test } from 'vitest';
import { createShares } from './shares.ts';

const most = { all: 10, perOwner: 6 };

test('shares: so much in all and so much an owner, and what is given back is free again', () => {
  const shares = createShares<string>();
  shares.add('a', 6);
  expect([shares.fits('a', 1, most), shares.fits('b', 4, most), shares.fits('b', 5, most)]).toEqual([false, true, false]);
  shares.add('b', 4);
  shares.add('a', -2);
  expect([shares.of('a'), shares.of('b'), shares.of('nobody'), shares.total]).toEqual([4, 4, 0, 8]);
  expect([shares.fits('a', 2, most), shares.fits('a', 3, most)]).toEqual([true, false]);
});

test('shares: a bound that is not given is none', () => {
  const shares = createShares<number>();
  shares.add(1, 20);
  expect([
    shares.fits(1, 1, {}),
    shares.fits(1, 1, { all: 20 }),
    shares.fits(1, 1, { perOwner: 20 }),
    shares.fits(2, 1, { perOwner: 1 }),
  ]).toEqual([true, false, false, true]);
});
