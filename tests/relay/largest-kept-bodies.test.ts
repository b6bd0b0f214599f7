// The largest body that is allowed, of a call that is stored: buffered as received, in flight, and for its stored copy.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

describe.each(engines)('largest bodies that are kept on $kind', (engine) => {
  test.each(['/v1/responses', '/v1beta/interactions'])('one largest body is served and kept: %s', async (stored) => {
    await using scene = await createScene(engine, {
      quota: 50_000_000_000,
      env: { MAX_REQUEST_BODY_MB: '40', MAX_BODIES_PER_USER_MB: '1', MAX_BODIES_MB: '1' },
    });
    const response = await scene.post(stored, { model: testModel, input: 'x'.repeat(39_900_000) });
    expect([response.status, (await response.json()).error ?? null]).toEqual([200, null]);
    await until(() => scene.app.context.bodies.bytes === 0);
  });
});
