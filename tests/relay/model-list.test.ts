// The list of models is for whoever may call them: a key that may not be used shows nothing.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

describe.each(engines)('the list of models on $kind', (engine) => {
  test.each([
    { what: 'from another address', fields: { allow_ips: '10.9.9.9' }, code: 'ip_denied' },
    { what: 'of a group that nobody may choose', fields: { group: 'closed' }, code: 'token_group_disabled' },
    { what: 'of a group without a ratio', fields: { group: 'old' }, code: 'group_deprecated' },
  ])('is refused to a key $what, as its calls are', async ({ fields, code }) => {
    await using scene = await createScene(engine, {
      settings: {
        UserUsableGroups: JSON.stringify({ default: 'all', old: 'gone' }),
        GroupRatio: JSON.stringify({ default: 1, closed: 1 }),
      },
      channels: [{ group: 'default,closed,old' }],
    });
    const authorization = `Bearer ${(await scene.addToken(fields)).key}`;
    for (const path of ['/v1/models', `/v1/models/${testModel}`]) {
      const response = await fetch(`${scene.app.origin}${path}`, { headers: { authorization } });
      expect([response.status, (await response.json()).error?.code], path).toEqual([403, code]);
    }
    expect((await (await scene.chat({}, { authorization })).json()).error.code).toBe(code);
    const own = await fetch(`${scene.app.origin}/v1/models/${testModel}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(own.status).toBe(200);
  });
});
