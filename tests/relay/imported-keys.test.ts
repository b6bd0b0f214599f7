// Keys that other gateways created: with `-` and `_` in them, and keys of which only the SHA-256 is known.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTokenGate, type TokenGate } from '#server/call/admission/token-gate.ts';
import { importedKeyFields, sha256Hash, sha256KeyFields } from '#server/tokens/imported-keys.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { useTokenDesk } from '#tests/support/token-desk.ts';

const oneHubKey = 'kpQ_9-Zt-AAbb_77-vV1xYz0123456789-_abcdefghijklmnopqrstuvwx';
const litellmKey = 'sk--x7_Yp-3qLmNoPqRsTuVw';

describe.each(engines)('imported keys on $kind', (engine) => {
  const desk = useTokenDesk(engine);
  const admit = async (gate: TokenGate, key: string) => {
    try {
      const { token, pinnedChannel } = await gate.admit({ headers: new Headers({ authorization: `Bearer ${key}` }), url: '/v1/models' });
      return { token: token.id, pinnedChannel };
    } catch (failure) {
      return (failure as { code?: string }).code;
    }
  };
  const statusOf = async (key: string, path = '/v1/models') =>
    (await fetch(`${desk.app.origin}${path}`, { headers: { authorization: `Bearer ${key}` } })).status;

  it('a key that contains - and _ is found by its whole text only, whatever stands before the first -', async () => {
    const { context } = desk.app;
    const admin = await desk.app.createUser({ role: 10 });
    const { token } = await createToken(context, admin.id, importedKeyFields(context, oneHubKey));
    const { token: plain, key } = await createToken(context, admin.id);
    const gate = createTokenGate(context);
    for (const sent of [oneHubKey, `sk-${oneHubKey}`, `sk-${oneHubKey}`]) {
      expect(await admit(gate, sent)).toEqual({ token: token.id, pinnedChannel: undefined });
    }
    for (const wrong of ['kpQ_9', `${oneHubKey}-`, oneHubKey.slice(0, -1), `${oneHubKey}-17`, 'sk--17', '-', `${'x'.repeat(300)}-1`]) {
      expect(await admit(gate, wrong), wrong).toBe('key_invalid');
    }
    expect(await admit(gate, 'sk-')).toBe('key_missing');
    // The channel behind a key without `-` stays what it was, seen before or not.
    for (const again of [1, 2]) expect(await admit(gate, `${key}-17`), String(again)).toEqual({ token: plain.id, pinnedChannel: 17 });
    expect(await admit(gate, key)).toEqual({ token: plain.id, pinnedChannel: undefined });
    expect([await statusOf(`sk-${oneHubKey}`), await statusOf(`sk-${oneHubKey}`, '/dashboard/billing/usage')]).toEqual([200, 200]);
    gate.stop();
  });

  it('a key of which only the SHA-256 is known works, is not shown, and is renewed like any other', async () => {
    const { context } = desk.app;
    const digest = hash('sha256', litellmKey);
    const client = await desk.someone();
    const userId = (await client.get('/api/user/self')).data.id;
    // A gate that has seen that there are no such keys learns of the first one.
    const gate = createTokenGate(context);
    expect(await admit(gate, litellmKey)).toBe('key_invalid');
    const { token } = await createToken(context, userId, {
      ...sha256KeyFields(digest.toUpperCase(), litellmKey.slice(-4)),
      quota: 500_000,
    });
    await context.changes.announce('token', token.id);
    const admitted = { token: token.id, pinnedChannel: undefined };
    expect(await admit(gate, litellmKey)).toEqual(admitted);
    expect(await statusOf(litellmKey, '/v1/dashboard/billing/subscription')).toBe(200);
    // The hash itself is no key, in no spelling.
    for (const wrong of [digest, `sha256:${digest}`, `sk-sha256:${digest}`, sha256Hash(digest), `${litellmKey}x`, 'sk-']) {
      expect(await admit(gate, wrong), wrong).toMatch(/^key_(invalid|missing)$/);
    }
    const listed = (await client.get('/api/token/')).data[0];
    expect(listed).toMatchObject({ id: token.id, key: '', key_ending: 'TuVw', revision: 1 });
    expect(JSON.stringify(listed)).not.toContain(digest);
    for (const [part, found] of [
      ['TuVw', 1],
      [litellmKey, 1],
      ['nothing', 0],
      [digest, 0],
    ] as const) {
      expect((await client.get(`/api/token/search?token=${encodeURIComponent(part)}`)).data, part).toHaveLength(found);
    }
    const { data: renewed } = await client.post(`/api/token/${token.id}/renew`, { old_key_seconds: 3600, revision: 1 });
    expect(renewed).not.toHaveProperty('key_ending');
    expect(await admit(gate, renewed.key)).toEqual(admitted);
    expect(await admit(gate, litellmKey)).toEqual(admitted);
    desk.app.clock.advance(3_600_000);
    expect(await admit(gate, litellmKey)).toBe('key_replaced');
    gate.stop();
  });
});
