import { expect, test } from 'vitest';
import { cpuTime } from '#tests/support/cpu-time.ts';
import { masked } from './references.ts';

test('secrets are masked wherever they are, the longest first, and many take no time', async () => {
  const secrets = new Set([
    'secret-one',
    'secret-one-longer',
    'short',
    ...Array.from({ length: 20_000 }, (_, index) => `key-number-${index}`),
  ]);
  expect(masked('a secret-one-longer, secret-onesecret-one: short', secrets)).toBe('a ***, ******: short');
  expect(masked('key-number-7 and key-number-19999.', secrets)).toBe('*** and ***.');
  expect(masked('x'.repeat(5000), secrets)).toBe(`${'x'.repeat(1000)}…`);
  const took = await cpuTime(() => {
    for (let index = 0; index < 20_000; index += 1) masked(`a name of a channel, which is number ${index}`, secrets);
  });
  expect(took).toBeLessThan(6_000);
});
