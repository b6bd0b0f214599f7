import { expect, it } from 'vitest';
import { onBothEngines } from '#tests/both-engines.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';

it('storage: the suite runs on every engine where that is demanded', () => {
  // A file runs once for each: the projects of `vitest.config.ts` say for which.
  expect(engines.map((engine) => engine.kind)).toEqual([process.env['TEST_ENGINE']]);
  if (process.env['CI']) expect(testMongoUrl, 'CI needs TEST_MONGODB_URL').toBeDefined();
});

it('storage: contract, crashes, money and one path of every kind of call run on both engines', () => {
  const both = [
    'contract/writing',
    'faults/killed-calls',
    'faults/killed-batches',
    'http/statements',
    'relay/billing',
    'conformance/console-access',
  ];
  expect(onBothEngines).toEqual(expect.arrayContaining(both.map((name) => `tests/${name}.test.ts`)));
  expect(onBothEngines.length).toBeGreaterThan(120);
});
