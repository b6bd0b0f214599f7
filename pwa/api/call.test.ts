import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logApi } from '#shared/logs.ts';
import { sessionApi } from '#shared/session.ts';
import { tokenApi } from '#shared/tokens.ts';
import { chooseLanguage, startTexts } from '#pwa/i18n/setup.ts';
import { call, callWithExtra } from './call.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { CallFailure } from './failure.ts';
import { onOutcome, type Outcome } from './outcomes.ts';
import { forgetUser, refreshUser, storeUser } from './stored-user.ts';
import { shows } from '#tests/support/shows.ts';

let server: FixtureServer;
let outcomes: Outcome[];

beforeAll(async () => {
  server = await startFixtureServer();
  localStorage.setItem('i18nextLng', 'zh');
  await startTexts();
  onOutcome((outcome) => outcomes.push(outcome));
});
afterAll(() => server.stop());
beforeEach(() => {
  outcomes = [];
  server.requested.length = 0;
});

async function failureOf(work: Promise<unknown>): Promise<CallFailure> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof CallFailure)) throw new Error(`expected a CallFailure, got ${String(thrown)}`);
  return thrown;
}

describe('call', () => {
  test('fills path and query, leaves absent values out, and says who asks in which language', async () => {
    server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: { quota: 3, rpm: 1, tpm: 2 } }));
    const stat = await call(logApi.stat, { query: { type: 2, username: '', channel: undefined, model_name: 'a b' } });
    expect(stat).toEqual({ quota: 3, rpm: 1, tpm: 2 });
    expect(server.requested[0]).toMatchObject({ method: 'GET', url: '/api/log/stat?type=2&model_name=a+b' });
    expect(server.requested[0]?.headers).toMatchObject({ 'new-api-user': '-1', 'accept-language': 'zh-CN' });

    await call(tokenApi.remove, { params: { id: '7' } });
    expect(server.requested[1]).toMatchObject({ method: 'DELETE', url: '/api/token/7' });
  });

  test('gives the keys beside data as extra', async () => {
    server.answer((_asked, response) => sendJson(response, { success: true, message: 'ok', data: [], total: 12 }));
    expect(await callWithExtra(tokenApi.list, { query: { p: 0 } })).toEqual({ data: [], extra: { total: 12 }, message: 'ok' });
  });

  test('asks in English after the language was changed', async () => {
    await chooseLanguage('en');
    await call(sessionApi.logout);
    await chooseLanguage('zh');
    expect(server.requested[0]?.headers['accept-language']).toBe('en');
  });

  test('a refusal keeps code, text, field and data', async () => {
    server.answer((_asked, response) =>
      sendJson(response, { success: false, message: '令牌名称过长', code: 'token_name_long', field: 'name', data: { current: 1 } }),
    );
    const failure = await failureOf(call(tokenApi.create, { body: { name: 'x' } }));
    expect(failure).toMatchObject({ code: 'token_name_long', message: '令牌名称过长', field: 'name', status: 200, data: { current: 1 } });
    expect(outcomes).toEqual(['answered']);
  });

  test('a missing session is told once as the end of the session', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'no', code: 'not_logged_in' }, 401));
    expect(await failureOf(call(logApi.statSelf, { query: {} }))).toMatchObject({ code: 'not_logged_in', status: 401 });
    expect(outcomes).toEqual(['answered', 'session_over']);
  });

  test.each([
    ['an answer of ours', JSON.stringify({ success: false, message: 'no', code: 'user_header_mismatch' })],
    ['an answer of a proxy', 'Unauthorized'],
  ])('a late refusal of who was signed in before is not the end of the session: %s', async (_whose, text) => {
    let release: (() => void) | undefined;
    server.answer((_asked, response) => {
      release = () => response.writeHead(401).end(text);
    });
    storeUser(buildConsoleUser({ id: 1 }));
    const failed = failureOf(call(logApi.statSelf, { query: {} }));
    await shows(() => expect(release).toBeDefined());
    storeUser(buildConsoleUser({ id: 2 }));
    release?.();
    expect(await failed).toMatchObject({ status: 401 });
    forgetUser();
    expect(outcomes).toEqual(['answered']);
  });

  test('a late refusal of a former session is not the end of the next one of the same user', async () => {
    const releases: (() => void)[] = [];
    server.answer((_asked, response) => {
      releases.push(() => sendJson(response, { success: false, message: 'no', code: 'not_logged_in' }, 401));
    });
    const user = buildConsoleUser({ id: 1 });
    storeUser(user);
    const former = failureOf(call(logApi.statSelf, { query: {} }));
    await shows(() => expect(releases).toHaveLength(1));
    forgetUser();
    storeUser(user);
    releases[0]?.();
    expect(await former).toMatchObject({ status: 401 });
    expect(outcomes).toEqual(['answered']);
    // The own account as the server has it now is no sign-in: a refusal is the end of this session.
    const own = failureOf(call(logApi.statSelf, { query: {} }));
    await shows(() => expect(releases).toHaveLength(2));
    refreshUser({ ...user, quota: user.quota + 1 });
    releases[1]?.();
    expect(await own).toMatchObject({ status: 401 });
    forgetUser();
    expect(outcomes).toEqual(['answered', 'answered', 'session_over']);
  });

  test('a refused sign-in is not the end of a session', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'no', code: 'login_failed' }, 401));
    await failureOf(call(sessionApi.login, { body: { username: 'a', password: 'b' } }));
    expect(outcomes).toEqual(['answered']);
  });

  test('too many requests, a fault and a demo site have texts of their own', async () => {
    server.answer((_asked, response) =>
      sendJson(response, { success: false, message: 'x', code: 'rate_limited' }, 429, { 'retry-after': '7' }),
    );
    expect(await failureOf(call(sessionApi.logout))).toMatchObject({ message: '请求次数过多，请 7 秒后再试', retryAfter: 7 });
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'x' }, 500));
    expect(await failureOf(call(sessionApi.logout))).toMatchObject({ message: '服务器内部错误，请联系管理员' });
    server.answer((_asked, response) => response.writeHead(405).end('nope'));
    expect(await failureOf(call(sessionApi.logout))).toMatchObject({ message: '本站仅作演示之用，无服务端', code: 'http_405' });
  });

  test('a failure knows the number that the server gave the request', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'x' }, 500, { 'x-oneapi-request-id': 'r-77' }));
    const failure = await failureOf(call(sessionApi.logout));
    expect(failure.requestId).toBe('r-77');
    expect(failure.details).toBe('GET /api/user/logout · HTTP 500 · r-77');
  });

  test('an answer that does not fit the contract is not passed on', async () => {
    server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: { quota: 'three', rpm: 1, tpm: 2 } }));
    const failure = await failureOf(call(logApi.statSelf, { query: {} }));
    expect(failure).toMatchObject({ code: 'bad_answer', status: 200 });
    expect(failure.details).toContain('quota');
  });

  test('a page of something in between is not an answer', async () => {
    server.answer((_asked, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'));
    const failure = await failureOf(call(sessionApi.logout));
    expect(failure).toMatchObject({ code: 'server_unreachable', status: 502, isUnreachable: true });
    expect(outcomes).toEqual(['unreachable']);
  });

  test('silence is told apart: gone, too slow, cancelled', async () => {
    server.answer(() => {});
    expect(await failureOf(call(sessionApi.logout, { timeout: 50 }))).toMatchObject({ code: 'timed_out', isUnreachable: true });
    const controller = new AbortController();
    const before = server.requested.length;
    const cancelled = failureOf(call(sessionApi.logout, { signal: controller.signal }));
    await shows(() => expect(server.requested.length).toBe(before + 1));
    controller.abort();
    expect(await cancelled).toMatchObject({ code: 'cancelled', isUnreachable: false });
    await server.stop();
    expect(await failureOf(call(sessionApi.logout))).toMatchObject({ code: 'server_unreachable', status: 0 });
    expect(outcomes).toEqual(['unreachable', 'unreachable']);
    await server.start();
  });
});
