import { expect, it } from 'vitest';
import { moonshotBalance } from './balance-sources.ts';

it.each([
  ['https://api.moonshot.cn', 'CNY'],
  ['https://api.moonshot.ai', 'USD'],
  ['https://api.moonshot.ai/', 'USD'],
  // Gateways respond as the vendor's first site does.
  ['https://gateway.example/api.moonshot.ai', 'CNY'],
])('balance sources: the balance at %s is in %s', async (base, currency) => {
  const ask = () => Promise.resolve({ code: 0, status: true, data: { available_balance: 10 } });
  expect(await moonshotBalance({ ask, base, isDefaultAddress: false, now: 0 })).toEqual({ amount: 10, currency });
});
