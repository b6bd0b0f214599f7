import { describe, expect, it } from 'vitest';
import { parseRange } from '#server/network/addresses.ts';
import { createAddressReader, networkOf, subscriberOf } from '#server/http/client-address.ts';
import { readEnv } from '#server/env.ts';
import type { Connection } from '#server/http/connection.ts';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp, rootName, testPassword } from '#tests/support/test-app.ts';

const proxied = { TRUSTED_PROXIES: '127.0.0.0/8' };

describe.each(oneEngine)('addresses on $kind', (engine) => {
  it('the console and the relay read the same address, and only X-Forwarded-For', async () => {
    await using app = await createTestApp(engine, { env: proxied });
    await app.setup();
    const user = await app.createUser({ quota: 1_000_000 });
    const { key } = await createToken(app.context, user.id, { allow_ips: '203.0.113.7\n2001:db8::/48' });
    const sessionIp = async (headers: Record<string, string>) => {
      const client = app.anonymous();
      await client.post('/api/user/login', { username: user.username, password: 'correct horse' }, { headers });
      const [session] = await app.context.db.collection('sessions').find({ user_id: user.id }, { limit: 1 });
      await app.context.db.collection('sessions').remove({ user_id: user.id });
      return session?.ip;
    };
    const isLetIn = async (headers: Record<string, string>) => {
      const call = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
      const { status } = await app
        .anonymous()
        .post('/v1/chat/completions', call, { headers: { ...headers, authorization: `Bearer ${key}` } });
      return status !== 403;
    };
    for (const [headers, ip, isAllowed] of [
      [{ 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7', true],
      [{ 'x-forwarded-for': '203.0.113.7:51234' }, '203.0.113.7', true],
      [{ 'x-forwarded-for': '::ffff:203.0.113.7' }, '203.0.113.7', true],
      [{ 'x-forwarded-for': '[::ffff:cb00:7107]:443' }, '203.0.113.7', true],
      [{ 'x-forwarded-for': '[2001:db8::1]:51234' }, '2001:db8::1', true],
      [{ 'x-forwarded-for': '2001:DB8:0::1%eth0' }, '2001:db8::1', true],
      [{ 'x-forwarded-for': '203.0.113.7, 127.0.0.1:80, [::ffff:127.0.0.2]:9' }, '203.0.113.7', true],
      [{ 'x-forwarded-for': '203.0.113.7, 198.51.100.1' }, '198.51.100.1', false],
      [{ 'x-forwarded-for': '203.0.113.7, unknown' }, '127.0.0.1', false],
      [{ 'x-forwarded-for': '0xcb.0.113.7' }, '127.0.0.1', false],
      [{ 'x-real-ip': '203.0.113.7' }, '127.0.0.1', false],
      [{ 'x-real-ip': '203.0.113.7', 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1', false],
      [{ forwarded: 'for=203.0.113.7', 'cf-connecting-ip': '203.0.113.7' }, '127.0.0.1', false],
    ] as const) {
      expect(await sessionIp(headers), JSON.stringify(headers)).toBe(ip);
      expect(await isLetIn(headers), JSON.stringify(headers)).toBe(isAllowed);
    }
  });

  it('a stranger who claims an address in another header counts as where the call comes from', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    for (const [index, name] of ['x-real-ip', 'forwarded', 'cf-connecting-ip'].entries()) {
      await app.anonymous().post('/api/user/login', { username: 'mei', password: 'wrong' }, { headers: { [name]: `198.51.100.${index}` } });
    }
    const limits = await app.context.db.collection('limits').find({});
    expect(limits.map(({ id }) => id)).toContain('login-from:127.0.0.1');
    expect(JSON.stringify(limits)).not.toContain('198.51.100');
  });

  it('behind a private proxy that is not trusted, clients are limited apart and together, and are recorded as the proxy', async () => {
    await using app = await createTestApp(engine, {
      env: { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '5', GLOBAL_API_RATE_LIMIT_DURATION: '60' },
    });
    const root = await app.setup();
    const from = (address: string) => ({ headers: { 'x-forwarded-for': `192.0.2.1, ${address}` } });
    for (let index = 0; index < 5; index += 1)
      expect(await app.anonymous().get('/api/status', from('203.0.113.7'))).toMatchObject({ status: 200 });
    expect(await app.anonymous().get('/api/status', from('203.0.113.7'))).toMatchObject({ status: 429 });
    expect(await app.anonymous().get('/api/status', from('203.0.113.8'))).toMatchObject({ status: 200 });
    // Who reaches the server past the proxy can write any address: all of them together have an end.
    await app.context.db.collection('limits').patch({ id: 'api:proxy:127.0.0.1' }, { set: { count: 100 } });
    expect(await app.anonymous().get('/api/status', from('203.0.113.9'))).toMatchObject({ status: 429 });
    await app.context.db.collection('limits').remove({});
    // Wrong passwords of strangers lock no user out.
    const login = (address: string, username: string, password: string) =>
      app.anonymous().post('/api/user/login', { username, password }, from(address));
    for (let index = 0; index < 25; index += 1) {
      await app.context.db.collection('limits').remove({ id: { startsWith: 'api:' } });
      await login('203.0.113.66', rootName, 'wrong password');
    }
    await app.context.db.collection('limits').remove({ id: { startsWith: 'api:' } });
    expect(await login('203.0.113.66', rootName, testPassword)).toMatchObject({ status: 429, code: 'login_locked' });
    expect(await login('203.0.113.7', rootName, testPassword)).toMatchObject({ success: true });
    const sessions = await app.context.db.collection('sessions').find({});
    expect(sessions.map(({ ip }) => ip)).toEqual(sessions.map(() => '127.0.0.1'));
    const todo = await root.get('/api/data/desk', from('203.0.113.7'));
    expect(todo.data).toMatchObject({ untrusted_proxy: '127.0.0.1' });
    expect((await root.get('/api/data/desk')).data).not.toHaveProperty('untrusted_proxy');
  });
});

describe('reading addresses', () => {
  const request = (forwarded: string) => new Request('http://localhost/', { headers: { 'x-forwarded-for': forwarded } });
  // A socket is all that the reader looks at.
  const at = (remoteAddress: string): Connection => Object.assign(Object.create(null), { req: { socket: { remoteAddress } } });

  it('trusts a proxy however its socket writes it', () => {
    for (const trusted of ['10.0.0.0/8', '::ffff:10.0.0.0/104', '10.1.2.3', '::ffff:a01:203']) {
      const { read } = createAddressReader([trusted]);
      for (const peer of ['10.1.2.3', '::ffff:10.1.2.3']) expect(read(request('203.0.113.7'), at(peer))).toBe('203.0.113.7');
      expect(read(request('203.0.113.7'), at('11.1.2.3'))).toBe('11.1.2.3');
    }
    const { read } = createAddressReader(['fe80::/10']);
    expect(read(request('203.0.113.7'), at('fe80::1%eth0'))).toBe('203.0.113.7');
  });

  it('one subscriber is counted once', () => {
    expect(new Set(['2001:db8:1:2::1', '2001:DB8:1:2:ffff::%en0', '[2001:db8:1:2::9]:80'].map(subscriberOf)).size).toBe(1);
    expect(new Set(['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7:80'].map(subscriberOf))).toEqual(new Set(['203.0.113.7']));
  });

  it('one party is one network, however many addresses it has', () => {
    expect(new Set(['2001:db8:1:2::1', '2001:db8:1:ffff::%en0'].map(networkOf))).toEqual(new Set(['2001:db8:1::/48']));
    expect(new Set(['203.0.113.7', '::ffff:203.0.113.200'].map(networkOf))).toEqual(new Set(['203.0.113.0/24']));
    expect(networkOf('2001:db8:2:2::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  });

  it.each(['10', '10.1', '0x7f.0.0.1', '010.0.0.1', '10.0.0.0/33', '::/129', '::ffff:0:0/64', '10.0.0.0/', '10.0.0.0/8/8', 'host', ''])(
    '%j is no range, nor a proxy to trust',
    (text) => {
      expect(() => parseRange(text)).toThrow();
      if (text !== '') expect(() => readEnv({ TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES/);
    },
  );
});
