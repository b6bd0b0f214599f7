import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onBothEngines } from '#tests/both-engines.ts';
import { engines, testMongoUrl } from '#tests/support/engines.ts';

it('storage: the suite runs on every engine where that is demanded', () => {
  // A file runs once for each: the projects of `vitest.config.ts` say for which.
  expect(engines.map((engine) => engine.kind)).toEqual([process.env['TEST_ENGINE']]);
  if (process.env['CI']) expect(testMongoUrl, 'CI needs TEST_MONGODB_URL').toBeDefined();
});

it.each(onBothEngines)('storage: what runs on both engines is there: %s', (pattern) => {
  expect(globSync(pattern)).not.toEqual([]);
});
