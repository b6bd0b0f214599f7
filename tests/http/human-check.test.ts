import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createSignInDesk } from '#tests/support/sign-in-desk.ts';
import { createTestApp, testPassword } from '#tests/support/test-app.ts';

describe.each(oneEngine)('human check on $kind', (engine) => {
  const login = { username: 'mei', password: testPassword };
  const failed = { success: false, message: 'Turnstile 校验失败，请刷新重试！' };

  it('where it is on, nobody signs in or registers without a token that is good', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.app.createUser({ username: 'mei' });
    await desk.save({ TurnstileCheckEnabled: 'true' });
    desk.services.humanTokens.add('good');
    const missing = { success: false, message: 'Turnstile token 为空' };
    const register = { username: 'ana', password: testPassword };
    expect(await desk.app.anonymous().post('/api/user/login?turnstile=', login)).toMatchObject(missing);
    expect(await desk.app.anonymous().post('/api/user/register', register)).toMatchObject(missing);
    expect(await desk.app.anonymous().post('/api/user/login?turnstile=made-up', login)).toMatchObject(failed);
    expect(await desk.app.anonymous().post('/api/user/login?turnstile=good', login)).toMatchObject({ success: true });
    expect(await desk.app.anonymous().post('/api/user/login?turnstile=good', login)).toMatchObject(failed);
  });

  it('what was shown holds for five minutes in that browser, also after a refusal', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.app.createUser({ username: 'mei' });
    await desk.save({ TurnstileCheckEnabled: 'true' });
    desk.services.humanTokens.add('good');
    const client = desk.app.anonymous();
    const refused = await client.post('/api/user/login?turnstile=good', { ...login, password: 'wrong password' });
    expect(refused).toMatchObject({ success: false, code: 'login_failed' });
    expect(String(refused.headers['set-cookie'])).toMatch(/^human=\d+\.[\w-]{43}; Path=\/api; Max-Age=300; HttpOnly; SameSite=Lax$/);
    const inTime = await client.post('/api/user/login?turnstile=good', login);
    expect(inTime).toMatchObject({ success: true });
    desk.app.clock.advance(301_000);
    expect(await client.post('/api/user/login?turnstile=good', login)).toMatchObject(failed);
  });

  it('nobody makes such a pass, prolongs it, or takes it along to another address', async () => {
    await using desk = await createSignInDesk(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await desk.app.createUser({ username: 'mei' });
    await desk.save({ TurnstileCheckEnabled: 'true' });
    desk.services.humanTokens.add('good');
    const from = (address: string, cookie: string, token = 'used') =>
      desk.app.anonymous().post(`/api/user/login?turnstile=${token}`, login, { headers: { 'x-forwarded-for': address, cookie } });
    const first = await from('203.0.113.7', 'x=1', 'good');
    const pass = /human=(\d+)\.([\w-]+)/.exec(String(first.headers['set-cookie'])) ?? [];
    expect(await from('203.0.113.7', `human=${pass[1]}.${pass[2]}`)).toMatchObject({ success: true });
    expect(await from('198.51.100.7', `human=${pass[1]}.${pass[2]}`)).toMatchObject(failed);
    expect(await from('203.0.113.7', `human=${Number(pass[1]) + 60}.${pass[2]}`)).toMatchObject(failed);
    expect(await from('203.0.113.7', `human=${pass[1]}.${'a'.repeat(43)}`)).toMatchObject(failed);
  });

  it('holds on every server process', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.app.createUser({ username: 'mei' });
    await desk.save({ TurnstileCheckEnabled: 'true' });
    desk.services.humanTokens.add('good');
    const { database, clock } = desk.app;
    await using second = await createTestApp(engine, { database, clock, env: { TURNSTILE_URL: desk.services.url } });
    const first = await desk.app.anonymous().post('/api/user/login?turnstile=good', login);
    const cookie = [first.headers['set-cookie'] ?? []].flat().find((text) => text.startsWith('human=')) ?? '';
    const headers = { cookie: cookie.split(';', 1)[0] ?? '' };
    expect(await second.anonymous().post('/api/user/login', login, { headers })).toMatchObject({ success: true });
    expect(await second.anonymous().post('/api/user/login', login)).toMatchObject({ code: 'human_token_missing' });
  });

  it('says when the service cannot be reached, and lets nobody pass', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.app.createUser({ username: 'mei' });
    await desk.save({ TurnstileCheckEnabled: 'true' });
    desk.services.rules = { status: 500 };
    const answer = await desk.app.anonymous().post('/api/user/login?turnstile=any', login);
    // What it says is no verdict.
    expect(answer).toMatchObject({ success: false, code: 'human_check_unreachable' });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});
