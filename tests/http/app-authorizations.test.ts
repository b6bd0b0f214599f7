// Keys that applications request and a person allows: the walk of an official client, and what an attacker would try.
import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { appAuthorizationApi, type AppRequest, type KeyGrant } from '#shared/app-authorizations.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { UserStatus } from '#shared/user.ts';
import { audit } from '#server/money/audit.ts';
import { sweepAppAuthorizations } from '#server/slices/app-authorizations/code-records.ts';
import { redeemCode } from '#server/slices/app-authorizations/redeem-code.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { balanceOf } from '#server/money/account.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { afterGets } from '#tests/support/watched-database.ts';
import { until } from '#tests/support/until.ts';

const callback = 'https://notes.example/cb';
const verifier = 'a-verifier-of-an-application-that-is-long-enough';
const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const dollars = (count: number) => count * 500_000;
const day = 86_400;

const request = (fields: Partial<AppRequest> = {}): AppRequest => ({
  form: 'oauth',
  callback,
  client: 'notes',
  name: 'Notes',
  challenge: challengeOf(verifier),
  ...fields,
});
const grant = (fields: Partial<KeyGrant> = {}): KeyGrant => ({
  way: 'new',
  limits: { name: '', remain_quota: dollars(5), expired_time: -1 },
  ...fields,
});

async function approve(client: TestClient, fields: Partial<AppRequest> = {}, allowed = grant()): Promise<URL> {
  const answer = await client.post(appAuthorizationApi.approve.path, { request: request(fields), grant: allowed });
  expect(answer).toMatchObject({ success: true });
  return new URL(answer.data.redirect_to);
}

const codeOf = async (client: TestClient, fields: Partial<AppRequest> = {}, allowed = grant()) =>
  (await approve(client, fields, allowed)).searchParams.get('code') ?? '';

async function sendForm(app: TestApp, path: string, fields: Record<string, string>) {
  const response = await fetch(app.origin + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const redeem = (app: TestApp, code: string, fields: Record<string, string> = {}) =>
  sendForm(app, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: 'notes',
    redirect_uri: callback,
    ...fields,
  });

async function redeemThere(app: TestApp, body: object, path = '/api/v1/auth/keys') {
  const response = await fetch(app.origin + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const beginDevice = async (app: TestApp, fields: Record<string, string> = {}) =>
  (await sendForm(app, '/oauth/device_authorization', { client_id: 'cli', ...fields })).body as {
    device_code: string;
    user_code: string;
    verification_uri: string;
    interval: number;
  };
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const poll = (app: TestApp, device_code: string, client_id = 'cli') =>
  sendForm(app, '/oauth/token', { grant_type: deviceGrant, device_code, client_id });
const decide = (client: TestClient, user_code: string, allowed?: KeyGrant) =>
  client.post(appAuthorizationApi.decideDevice.path, { user_code, ...(allowed === undefined ? {} : { grant: allowed }) });

const modelsWith = async (app: TestApp, key: string, prefix = '') =>
  (await fetch(`${app.origin}${prefix}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
const keysOf = async (client: TestClient) => (await client.get(appAuthorizationApi.list.path)).data;

describe.each(engines)('app authorizations on $kind', { concurrent: true }, (engine) => {
  it('an official client walks the code flow from its discovery to a key with the limits that were allowed', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ quota: dollars(50) });
    const person = await app.as(user);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(app.origin);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
    expect(server.authorization_endpoint).toBe(`${app.origin}/oauth/authorize`);
    const client: oauth.Client = { client_id: 'notes' };
    const secret = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const back = await approve(
      person,
      { challenge: await oauth.calculatePKCECodeChallenge(secret), state },
      grant({
        limits: {
          name: 'Notes',
          remain_quota: dollars(2),
          expired_time: Math.floor(app.context.now() / 1000) + 90 * day,
          model_limits_enabled: true,
          model_limits: 'gpt-4o',
        },
      }),
    );
    expect(back.origin + back.pathname).toBe(callback);
    const parameters = oauth.validateAuthResponse(server, client, back, state);
    const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, callback, secret, insecure);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const {
      access_token: key,
      token_type: type,
      expires_in: seconds,
    } = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect({ key, type }).toEqual({ key: expect.stringMatching(/^sk-\w{48}$/), type: 'bearer' });
    expect(Math.abs((seconds ?? 0) - 90 * day)).toBeLessThan(60);
    expect(await modelsWith(app, key)).toBe(200);
    expect(await keysOf(person)).toMatchObject([
      {
        name: 'Notes',
        remain_quota: dollars(2),
        model_limits: 'gpt-4o',
        key: expect.stringContaining('**********'),
        application: { name: 'Notes', target: 'notes.example', way: 'redirect', ip: '127.0.0.1' },
      },
    ]);
    // Neither the code nor the key is stored.
    const stored = JSON.stringify([
      await app.context.db.collection('app_authorizations').find({}),
      await app.context.db.collection('tokens').find({}),
      await app.context.db.collection('audit_entries').find({}),
    ]);
    for (const text of [parameters.get('code') ?? '-', key.slice(3), secret]) expect(stored).not.toContain(text);
    expect((await audit(app.context.db)).findings).toEqual([]);
  });

  it('an application for OpenRouter needs another base address only: its exchange, its errors, its calls', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ quota: dollars(50) });
    const person = await app.as(user);
    const form = { form: 'openrouter', client: '', callback: 'http://localhost:3000/cb?flow=7', name: 'localhost:3000' } as const;
    const back = await approve(person, form);
    expect([...back.searchParams.keys()]).toEqual(['flow', 'code']);
    const body = { code: back.searchParams.get('code'), code_verifier: verifier, code_challenge_method: 'S256' };
    expect(await redeemThere(app, { ...body, code_challenge_method: 'plain' })).toMatchObject({
      status: 400,
      body: { error: { code: 400, message: expect.stringMatching(/^Invalid code_challenge_method/) } },
    });
    expect(await redeemThere(app, { ...body, code_verifier: `${verifier}!` })).toMatchObject({
      status: 403,
      body: { error: { code: 403, message: 'Invalid code or code_verifier' } },
    });
    const { status, body: handed } = await redeemThere(app, body);
    expect({ status, handed }).toEqual({ status: 200, handed: { key: expect.stringMatching(/^sk-/), user_id: String(user.id) } });
    expect(await modelsWith(app, handed.key, '/api')).toBe(200);
    expect((await fetch(`${app.origin}/api/v1/auth/keys`)).status).toBe(405);
    for (const broken of ['{', '[]', '"x"']) {
      const answer = await fetch(`${app.origin}/v1/auth/keys`, { method: 'POST', body: broken });
      expect(answer.status, broken).toBe(400);
    }
  });

  it('a second redemption ends the key of the first, also when both come at once', async () => {
    await using app = await createTestApp(engine);
    const person = await app.as(await app.createUser());
    const code = await codeOf(person);
    const first = await redeem(app, code);
    expect(first.status).toBe(200);
    expect(await modelsWith(app, first.body.access_token)).toBe(200);
    // Who has the code alone can end nothing.
    expect(await redeem(app, code, { code_verifier: 'another-verifier-of-somebody-who-read-the-code' })).toMatchObject({ status: 400 });
    expect(await keysOf(person)).toHaveLength(1);
    expect(await redeem(app, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await modelsWith(app, first.body.access_token)).toBe(401);
    expect(await keysOf(person)).toEqual([]);

    // The second comes after the first has claimed the code, and before its key is there.
    const overtaken = await codeOf(person);
    let second: Promise<unknown> | undefined;
    const db = afterGets(app.context.db, 'users', async () => void (await (second ??= redeem(app, overtaken))));
    const address = { ip: '203.0.113.7', source: '203.0.113.7', untrustedProxy: null };
    const facts: RequestFacts = {
      ...address,
      requestId: 'one',
      isSecure: false,
      language: 'en',
      headers: new Headers(),
      url: new URL(app.origin),
    };
    const given = { code: overtaken, verifier, client: 'notes' };
    await expect(redeemCode({ ...app.context, db }, facts, given)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await second).toMatchObject({ status: 400 });
    expect(await keysOf(person)).toEqual([]);

    const raced = await codeOf(person);
    const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(app, raced)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of answers) expect(await modelsWith(app, body.access_token ?? 'sk-none')).toBe(401);
    expect(await keysOf(person)).toEqual([]);
  });

  it('a code is bound to its challenge, client and callback, and void after three wrong redemptions or ten minutes', async () => {
    await using app = await createTestApp(engine);
    const person = await app.as(await app.createUser());
    const refused = { status: 400, body: { error: 'invalid_grant' } };
    const wrongs: Record<string, string>[] = [
      { client_id: 'other' },
      { redirect_uri: `${callback}/` },
      { redirect_uri: '' },
      { code_verifier: 'short' },
    ];
    for (const wrong of wrongs) {
      expect(await redeem(app, await codeOf(person), wrong), JSON.stringify(wrong)).toMatchObject(refused);
    }
    expect(await redeem(app, await codeOf(person), { code_verifier: '' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    // OAuth 2.1 sends no callback.
    const { redirect_uri: _none, ...without } = {
      grant_type: 'authorization_code',
      code_verifier: verifier,
      client_id: 'notes',
      redirect_uri: '',
    };
    expect(await sendForm(app, '/oauth/token', { ...without, code: await codeOf(person) })).toMatchObject({ status: 200 });
    // A code of the standard form is none of OpenRouter's: its client is another.
    expect(await redeemThere(app, { code: await codeOf(person), code_verifier: verifier })).toMatchObject({ status: 403 });

    const guessed = await codeOf(person);
    for (let guess = 0; guess < 3; guess += 1) await redeem(app, guessed, { code_verifier: `${verifier}${guess}` });
    expect(await redeem(app, guessed)).toMatchObject(refused);
    const late = await codeOf(person);
    app.clock.advance(600_000);
    expect(await redeem(app, late)).toMatchObject(refused);
    app.clock.advance(2 * day * 1000);
    expect(await sweepAppAuthorizations(app.context)).toBeGreaterThan(5);
    expect(await app.context.db.collection('app_authorizations').count({})).toBe(0);
  });

  it('only a person at the console allows; nothing is handed over once the account is off or lost the right', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const person = await app.as(user);
    const { data: accessToken } = await person.get('/api/user/token');
    const program = app.anonymous();
    const headers = { authorization: `Bearer ${accessToken}`, 'new-api-user': String(user.id) };
    for (const [path, body] of [
      [appAuthorizationApi.approve.path, { request: request(), grant: grant() }],
      [appAuthorizationApi.openDevice.path, { user_code: 'BCDF-GHJK' }],
      [appAuthorizationApi.decideDevice.path, { user_code: 'BCDF-GHJK' }],
    ] as const) {
      expect(await program.post(path, body, { headers })).toMatchObject({ code: 'access_token_not_supported' });
      expect(await program.post(path, body)).toMatchObject({ code: 'not_logged_in' });
      // A foreign page can neither send the header nor the content type.
      expect(
        await person.call('POST', path, undefined, {
          rawBody: JSON.stringify(body),
          headers: { 'content-type': 'text/plain', origin: 'https://evil.example' },
        }),
      ).toMatchObject({
        success: false,
        code: 'unsupported_media_type',
      });
    }
    const users = app.context.db.collection('users');
    // A new password ends what a session before it has allowed.
    for (const set of [{ status: UserStatus.banned }, { DeletedAt: '2026-01-01T00:00:00Z' }, { password_hash: 'a new one' }]) {
      const code = await codeOf(person);
      await users.patch({ id: user.id }, { set });
      expect(await redeem(app, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      await users.patch({ id: user.id }, { set: { status: UserStatus.active, DeletedAt: null } });
    }
    const denied = await person.post(appAuthorizationApi.approve.path, {
      request: request(),
      grant: grant({ limits: { name: '', group: 'moon' } }),
    });
    expect(denied).toMatchObject({ success: false, code: 'token_group_denied', field: 'group' });
    expect(await app.context.db.collection('tokens').count({})).toBe(0);
  });

  it('an address that may receive no code is refused, also by the server', async () => {
    await using app = await createTestApp(engine);
    const person = await app.as(await app.createUser());
    for (const address of ['javascript:alert(1)//', 'http://notes.example/cb', 'https://notes.example/?code=mine']) {
      const answer = await person.post(appAuthorizationApi.approve.path, { request: request({ callback: address }), grant: grant() });
      expect(answer, address).toMatchObject({ success: false, code: 'invalid_field', field: 'request.callback' });
    }
  });

  it('a program that asks again gets its key renewed or replaced, and never that of another', async () => {
    await using app = await createTestApp(engine);
    const person = await app.as(await app.createUser());
    const first = await redeem(app, await codeOf(person));
    const [{ id }] = await keysOf(person);
    const renewed = await redeem(app, await codeOf(person, {}, grant({ way: 'renew', token_id: id })));
    expect(renewed.status).toBe(200);
    expect([await modelsWith(app, first.body.access_token), await modelsWith(app, renewed.body.access_token)]).toEqual([401, 200]);
    expect(await keysOf(person)).toMatchObject([{ id, remain_quota: dollars(5) }]);
    const replaced = await redeem(
      app,
      await codeOf(person, {}, grant({ way: 'replace', token_id: id, limits: { name: 'Less', remain_quota: 7 } })),
    );
    expect([await modelsWith(app, renewed.body.access_token), await modelsWith(app, replaced.body.access_token)]).toEqual([401, 200]);
    const [mine] = await keysOf(person);
    expect(mine).toMatchObject({ name: 'Less', remain_quota: 7 });

    const own = (await person.post('/api/token/', { name: 'own' })).data[0].id;
    const other = await app.as(await app.createUser());
    const foreign = async (client: TestClient, way: 'renew' | 'replace', token_id: number, fields: Partial<AppRequest> = {}) =>
      (await client.post(appAuthorizationApi.approve.path, { request: request(fields), grant: grant({ way, token_id }) })).code;
    for (const way of ['renew', 'replace'] as const) {
      expect(await foreign(person, way, own)).toBe('not_found');
      expect(await foreign(other, way, mine.id)).toBe('not_found');
      expect(await foreign(person, way, mine.id, { callback: 'https://evil.example/cb' })).toBe('not_found');
    }
    // Revoked between approval and redemption.
    const code = await codeOf(person, {}, grant({ way: 'renew', token_id: mine.id }));
    await person.delete(`/api/token/${mine.id}`);
    expect(await redeem(app, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await modelsWith(app, replaced.body.access_token)).toBe(401);
  });

  it('an official client walks the device flow: pending, slower, allowed; the key comes once', async () => {
    await using app = await createTestApp(engine);
    const person = await app.as(await app.createUser());
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(app.origin);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
    const client: oauth.Client = { client_id: 'cli' };
    const begun = await oauth.deviceAuthorizationRequest(
      server,
      client,
      oauth.None(),
      new URLSearchParams({ client_name: 'Claude Code' }),
      insecure,
    );
    const codes = await oauth.processDeviceAuthorizationResponse(server, client, begun);
    expect(codes).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${app.origin}/device`,
      verification_uri_complete: `${app.origin}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const ask = () => oauth.deviceCodeGrantRequest(server, client, oauth.None(), codes.device_code, insecure);
    const asked = async () => ((await (await ask()).json()) as { error: string }).error;
    expect(await asked()).toBe('authorization_pending');
    expect(await asked()).toBe('slow_down');
    app.clock.advance(10_000);
    expect(await asked()).toBe('authorization_pending');
    expect(
      (await person.post(appAuthorizationApi.openDevice.path, { user_code: codes.user_code.toLowerCase().replace('-', ' ') })).data,
    ).toMatchObject({
      name: 'Claude Code',
      client: 'cli',
      ip: '127.0.0.1',
      is_same_network: true,
    });
    expect(await decide(person, codes.user_code, grant())).toMatchObject({ success: true });
    const { access_token: key } = await oauth.processDeviceCodeResponse(server, client, await ask());
    expect(await modelsWith(app, key)).toBe(200);
    expect(await keysOf(person)).toMatchObject([{ name: 'Claude Code', application: { way: 'device', target: '' } }]);
    // The user code is void, and the device code ends its key if it is used again.
    expect(await decide(person, codes.user_code)).toMatchObject({ code: 'user_code_invalid' });
    expect(await asked()).toBe('invalid_grant');
    expect(await modelsWith(app, key)).toBe(401);
  });

  it('a device that is refused, too late or another gets none, and guesses of user codes are counted', async () => {
    await using app = await createTestApp(engine);
    const person = await app.as(await app.createUser());
    const refused = await beginDevice(app);
    expect(await decide(person, refused.user_code)).toMatchObject({ success: true });
    expect(await poll(app, refused.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
    const allowed = await beginDevice(app);
    await decide(person, allowed.user_code, grant());
    expect(await poll(app, allowed.device_code, 'another')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await poll(app, `${allowed.device_code}x`)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const late = await beginDevice(app);
    app.clock.advance(600_000);
    expect(await poll(app, late.device_code)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
    expect(await decide(person, late.user_code, grant())).toMatchObject({ code: 'user_code_invalid' });
    // Allowed, and fetched too late.
    expect(await poll(app, allowed.device_code)).toMatchObject({ status: 400, body: { error: 'expired_token' } });

    const open = await beginDevice(app);
    const guess = () => person.post(appAuthorizationApi.openDevice.path, { user_code: 'ZZZZ-ZZZZ' });
    for (let count = 0; count < 9; count += 1) expect(await guess()).toMatchObject({ code: 'user_code_invalid' });
    expect(await guess()).toMatchObject({ code: 'rate_limited' });
    // Neither is the right one accepted from an account that guesses.
    expect(await decide(person, open.user_code, grant())).toMatchObject({ code: 'rate_limited' });
    expect(await keysOf(person)).toEqual([]);
    for (const typed of ['', 'AEIOUAEI', 'BCDF', `${'B'.repeat(40)}x`]) {
      const answer = await (await app.as(await app.createUser())).post(appAuthorizationApi.openDevice.path, { user_code: typed });
      expect(answer.success, typed).toBe(false);
    }
  });

  it('requests are bounded by address, and malformed ones refused in the words of the standard', async () => {
    await using app = await createTestApp(engine);
    const begin = (fields: Record<string, string>) => sendForm(app, '/oauth/device_authorization', fields);
    expect(await begin({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await begin({ client_id: '\u202e\u200b' })).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    for (let count = 0; count < 30; count += 1) expect((await begin({ client_id: 'cli' })).status).toBe(200);
    const full = await begin({ client_id: 'cli' });
    expect(full).toMatchObject({ status: 429, body: { error: 'slow_down' } });
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await sendForm(app, '/oauth/token', { grant_type: 'password' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
    expect(await sendForm(app, '/oauth/token', {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const send = async (body: string, type: string) =>
      (await fetch(`${app.origin}/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } })).json();
    expect(await send('{}', 'application/json')).toMatchObject({ error: 'invalid_request' });
    expect(await send('grant_type=a&grant_type=b', 'application/x-www-form-urlencoded')).toMatchObject({ error: 'invalid_request' });
    expect(await send('x'.repeat(20_000), 'application/x-www-form-urlencoded')).toMatchObject({ error: 'invalid_request' });
    const preflight = await fetch(`${app.origin}/oauth/token`, { method: 'OPTIONS', headers: { origin: 'https://notes.example' } });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('a revoked key stops on every process within a second, and the log says who allowed, fetched and ended it', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.createUser({ username: 'keeper' });
    const person = await app.as(user);
    await using second = await createTestApp(engine, { database: app.database, clock: app.clock });
    const { body } = await redeem(app, await codeOf(person));
    expect(await modelsWith(second, body.access_token)).toBe(200);
    const [{ id }] = await keysOf(person);
    expect(await person.post('/api/token/batch', { ids: [id] })).toMatchObject({ data: 1 });
    await until(async () => (await modelsWith(second, body.access_token)) === 401, 1000);
    const { items } = (await root.get('/api/audit_log/?actor=keeper')).data;
    expect(items.map(({ action, kind }: { action: string; kind: string }) => `${kind} ${action}`)).toEqual([
      'token deleted',
      'token created',
      'token authorized',
    ]);
    expect(items[2]).toMatchObject({ name: 'Notes', changes: [{ field: 'application', after: 'notes.example' }] });
    expect((await root.get('/api/user_token/?user=keeper')).data.items).toEqual([]);
    const again = await redeem(app, await codeOf(person));
    expect(again.status).toBe(200);
    expect((await root.get('/api/user_token/?user=keeper')).data.items).toMatchObject([
      { application: { name: 'Notes', target: 'notes.example' } },
    ]);
    // A key that is moved belongs to the applications of its new owner.
    const target = await app.createUser();
    const [{ id: moving }] = await keysOf(person);
    expect(await root.post(`/api/user_token/${moving}/move`, { user_id: target.id })).toMatchObject({ success: true });
    expect([await keysOf(person), await keysOf(await app.as(target))]).toMatchObject([[], [{ application: { name: 'Notes' } }]]);
    const tokens = await app.context.db.collection('tokens').find({ user_id: target.id });
    expect(tokens.map((token) => [token.status, balanceOf(token)])).toEqual([[TokenStatus.enabled, dollars(5)]]);
  });
});
