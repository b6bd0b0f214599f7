import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountApi } from '#shared/account.ts';
import { accountActionsApi } from '#shared/account-actions.ts';
import { organisationApi } from '#shared/organisations.ts';
import { Role } from '#shared/roles.ts';
import { tokenApi } from '#shared/tokens.ts';
import { startTexts } from '#pwa/i18n/setup.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { mayActing } from './account.ts';
import { actFor, actingId, actingOrganisation } from './acting.ts';
import { call } from './call.ts';
import { onOutcome, type Outcome } from './outcomes.ts';
import { forgetUser, storedUser, storeUser } from './stored-user.ts';

const harbour = { id: 7, name: 'Harbour Labs', role: 'developer' } as const;
let server: FixtureServer;
let outcomes: Outcome[];

beforeAll(async () => {
  server = await startFixtureServer();
  await startTexts();
  onOutcome((outcome) => outcomes.push(outcome));
});
afterAll(async () => {
  actFor(null);
  forgetUser();
  await server.stop();
});
beforeEach(() => {
  outcomes = [];
  server.requested.length = 0;
  storeUser(buildConsoleUser({ id: 3, role: Role.admin }));
  actFor(harbour);
});

const headers = () => server.requested.map(({ headers: { 'openai-organization': organisation } }) => organisation);

describe('acting for an organisation', () => {
  test('only calls that an organisation may make carry its header', async () => {
    server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: [] }));
    await call(tokenApi.list, { query: {} }).catch(() => undefined);
    await call(organisationApi.list);
    await call(accountActionsApi.saveSetting, { body: { revision: 1 } }).catch(() => undefined);
    await call(accountApi.self, { asPerson: true }).catch(() => undefined);
    actFor(null);
    await call(tokenApi.list, { query: {} }).catch(() => undefined);
    expect(headers()).toEqual(['org-7', undefined, undefined, undefined, undefined]);
  });

  test('a call goes out for the account in which it was made', async () => {
    server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: [] }));
    const sent = call(tokenApi.list, { query: {} }).catch(() => undefined);
    actFor(null);
    await sent;
    expect(headers()).toEqual(['org-7']);
  });

  test('the user has the rights of the role, and none over the site meanwhile', () => {
    expect([mayActing('keys'), mayActing('billing'), storedUser()?.role]).toEqual([true, false, Role.user]);
    expect(storedUser()).toBe(storedUser());
    actFor(null);
    expect([mayActing('billing'), storedUser()?.role]).toEqual([true, Role.admin]);
  });

  test('the choice is for the user who made it, and for tabs to come', () => {
    expect(JSON.parse(localStorage.getItem('acting') ?? '')).toEqual({ user: 3, ...harbour });
    expect(sessionStorage.getItem('acting')).toBe(localStorage.getItem('acting'));
    storeUser(buildConsoleUser({ id: 4 }));
    expect([actingId(), actingOrganisation()]).toEqual([0, null]);
  });

  test.each(['organisation_unknown', 'organisation_disabled', 'organisation_right_missing'])('%s is reported', async (code) => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'no', code }, 403));
    await expect(call(tokenApi.list, { query: {} })).rejects.toMatchObject({ code });
    expect(outcomes).toContain('organisation_refused');
  });
});
