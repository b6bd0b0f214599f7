import { expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';

it('storage: the suite runs on every engine where that is demanded', () => {
  const tested = engines.map((engine) => engine.kind);
  expect(tested).toContain('embedded');
  if (process.env['CI']) expect(tested, 'CI needs TEST_MONGODB_URL').toContain('mongodb');
});
