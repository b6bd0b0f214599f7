// The calls by which clients of OpenAI's format show what a key has left.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenStatus } from '#shared/tokens.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, setOption } from '#tests/support/relay-scene.ts';

describe.each(engines)('billing calls on $kind', (engine) => {
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(engine, { quota: 5_000_000, tokenQuota: 1_000_000 });
    await (await scene.chat()).text();
    await scene.logs(1);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  async function ask(path: string, key = scene.key, headers: Record<string, string> = {}) {
    const response = await fetch(`${scene.app.origin}${path}`, {
      headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...headers },
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  }
  const used = async () => (await scene.app.context.db.collection('tokens').get(scene.token.id))?.used_quota ?? 0;

  it.each(['', '/v1'])('%s/dashboard/billing: the limit is what is left and what was used, in dollars', async (prefix) => {
    expect((await ask(`${prefix}/dashboard/billing/subscription`)).body).toEqual({
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: 2,
      hard_limit_usd: 2,
      system_hard_limit_usd: 2,
      access_until: 0,
    });
    const spent = await used();
    expect(spent).toBeGreaterThan(0);
    const usage = await ask(`${prefix}/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-01-02`);
    expect(usage.body.object).toBe('list');
    expect(usage.body.total_usage).toBeCloseTo((spent / 500_000) * 100, 9);
    expect(
      (await ask(`${prefix}/dashboard/billing/usage`, scene.key, { origin: 'https://elsewhere.example' })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe('*');
  });

  it('an unlimited key may spend what nobody will, until it expires', async () => {
    const expires = Math.floor(scene.app.clock.now() / 1000) + 999;
    const { key } = await scene.addToken({ expired_time: expires });
    expect((await ask('/dashboard/billing/subscription', key)).body).toMatchObject({ hard_limit_usd: 100_000_000, access_until: expires });
  });

  it('a key that is used up or has expired can still be read, and not called', async () => {
    const past = Math.floor(scene.app.clock.now() / 1000) - 5;
    for (const fields of [
      { status: TokenStatus.exhausted, quota: 0 },
      { status: TokenStatus.expired, expired_time: past },
      { expired_time: past },
    ]) {
      const { key } = await scene.addToken({ unlimited_quota: false, ...fields });
      expect(await ask('/v1/dashboard/billing/subscription', key)).toMatchObject({ status: 200, body: { hard_limit_usd: 0 } });
      expect((await ask('/v1/models', key)).status).toBe(401);
    }
  });

  it('who has no key, a wrong, disabled or deleted one, or is banned, is told so in the format of these calls', async () => {
    const { db } = scene.app.context;
    const disabled = await scene.addToken({ status: TokenStatus.disabled });
    const deleted = await scene.addToken({ DeletedAt: new Date(0).toISOString() });
    for (const [key, status, code] of [
      ['', 401, 'key_missing'],
      ['sk-nobody', 401, 'key_invalid'],
      [`sk-${'x'.repeat(400)}`, 401, 'key_invalid'],
      [disabled.key, 401, 'key_disabled'],
      [deleted.key, 401, 'key_invalid'],
    ] as const) {
      expect(await ask('/dashboard/billing/usage', key), code).toMatchObject({
        status,
        body: { error: { code, message: expect.stringContaining('request id') } },
      });
    }
    await db.collection('users').patch({ id: scene.user.id }, { set: { status: 2 } });
    expect(await ask('/dashboard/billing/usage')).toMatchObject({ status: 403, body: { error: { code: 'user_banned' } } });
    await db.collection('users').patch({ id: scene.user.id }, { set: { status: 1 } });
    expect(await ask('/dashboard/billing/nothing')).toMatchObject({ status: 404, body: { error: { code: 'invalid_url' } } });
  });

  it('the site may show the account instead of the key, and units instead of dollars', async () => {
    await setOption(scene.app, 'DisplayTokenStatEnabled', 'false');
    expect((await ask('/dashboard/billing/subscription')).body).toMatchObject({ hard_limit_usd: 10, access_until: 0 });
    await setOption(scene.app, 'DisplayInCurrencyEnabled', 'false');
    expect((await ask('/dashboard/billing/subscription')).body.hard_limit_usd).toBe(5_000_000);
    await setOption(scene.app, 'DisplayTokenStatEnabled', 'true');
    expect((await ask('/dashboard/billing/subscription')).body.hard_limit_usd).toBe(1_000_000);
    expect((await ask('/dashboard/billing/usage')).body.total_usage).toBe((await used()) * 100);
  });
});
