// Who may make which call: every call of the console, by every kind of caller.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import { callsOfStrangers, type ConsoleCall, consoleCalls, endlessCalls, nameOf } from '#tests/conformance/console-calls.ts';
import { type MountedCall, mountedCalls } from '#tests/conformance/mounted-calls.ts';
import { createSession } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestResponse, TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Response to each kind of caller, by the right that the call needs. If null, the call reaches its handler. */
const callers = {
  guest: { public: null, optional: null, user: 'not_logged_in', admin: 'not_logged_in', root: 'not_logged_in' },
  banned: { public: null, optional: null, user: 'user_banned', admin: 'user_banned', root: 'user_banned' },
  deleted: { public: null, optional: null, user: 'not_logged_in', admin: 'not_logged_in', root: 'not_logged_in' },
  user: { public: null, optional: null, user: null, admin: 'forbidden', root: 'forbidden' },
  admin: { public: null, optional: null, user: null, admin: null, root: 'forbidden' },
  root: { public: null, optional: null, user: null, admin: null, root: null },
  'user without the header': {
    public: null,
    optional: null,
    user: 'user_header_missing',
    admin: 'user_header_missing',
    root: 'user_header_missing',
  },
  'root with the header of another user': {
    public: null,
    optional: null,
    user: 'user_header_mismatch',
    admin: 'user_header_mismatch',
    root: 'user_header_mismatch',
  },
  'root with the header of nobody': {
    public: null,
    optional: null,
    user: 'user_header_malformed',
    admin: 'user_header_malformed',
    root: 'user_header_malformed',
  },
} as const;
type CallerKind = keyof typeof callers;

/** What says that a caller lacks the right, whatever the call. */
const refusals = new Set<unknown>([
  'not_logged_in',
  'forbidden',
  'user_banned',
  'user_header_missing',
  'user_header_mismatch',
  'user_header_malformed',
  'access_token_invalid',
]);

describe.each(engines)('rights on $kind', (engine) => {
  let app: TestApp;
  let mounted: Map<string, MountedCall>;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.setup();
    mounted = await mountedCalls(app);
  });
  afterAll(() => app.close());

  /** A caller of its own for every call: some calls end sessions and accounts. */
  async function callerOf(kind: CallerKind): Promise<TestClient> {
    if (kind === 'guest') return app.anonymous();
    const role = kind.startsWith('root') ? Role.root : kind === 'admin' ? Role.admin : Role.user;
    const user = await app.createUser({ role });
    const client = await app.as(user);
    const users = app.context.db.collection('users');
    if (kind === 'banned') await users.patch({ id: user.id }, { set: { status: UserStatus.banned } });
    if (kind === 'deleted') await users.patch({ id: user.id }, { set: { DeletedAt: new Date(app.context.now()).toISOString() } });
    if (kind === 'user without the header') client.setUser(null);
    if (kind === 'root with the header of another user') client.setUser(user.id + 1000);
    if (kind === 'root with the header of nobody') {
      const anonymous = app.anonymous();
      anonymous.setCookie(await createSession(app.context, user));
      return {
        ...anonymous,
        call: (method, path, body, options) =>
          anonymous.call(method, path, body, { ...options, headers: { ...options?.headers, 'new-api-user': 'abc' } }),
      };
    }
    return client;
  }

  function send(client: TestClient, call: ConsoleCall): Promise<TestResponse> {
    const path = call.path.replaceAll(/\{\w+\}/g, '999999');
    const body = mounted.get(nameOf(call))?.body == null ? undefined : {};
    return client.call(call.method, path, body, { headers: { 'accept-language': 'en' } });
  }

  it('has a row for every call that is mounted, and mounts every call that has one', () => {
    const expected = consoleCalls.map(nameOf);
    expect([...mounted.keys()].toSorted()).toEqual(expected.toSorted());
  });

  it('answers the calls of strangers', async () => {
    for (const name of callsOfStrangers) {
      const answer = await fetch(app.origin + name.replace('GET ', ''));
      expect({ status: answer.status, text: await answer.text() }, name).toEqual({ status: 200, text: 'fail' });
    }
  });

  const kinds = Object.keys(callers) as CallerKind[];
  it.each(kinds)('%s', async (kind) => {
    for (const call of consoleCalls) {
      if (!mounted.has(nameOf(call))) continue;
      const reported = callers[kind][call.access];
      if (reported === null && endlessCalls.includes(nameOf(call))) continue;
      const answer = await send(await callerOf(kind), call);
      const place = `${nameOf(call)} by ${kind}`;
      expect(answer.status, place).toBeLessThan(500);
      if (reported !== null) expect(answer, place).toMatchObject({ success: false, code: reported });
      else expect(refusals.has(answer.code), `${place}: ${answer.code}`).toBe(false);
    }
  });
});
