import { beforeEach, expect, it } from 'vitest';
import { signedInOnly } from './guards.ts';
import { forgetUser, storeUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { forgetWayBack, isInvitation, lendWayBack, searchOfSignIn, storeWayBack, takeLentWayBack, wayBack } from '#pwa/api/way-back.ts';

const link = '/organisation-invite#aSecret';

beforeEach(() => {
  forgetUser();
  forgetWayBack();
});

it('an invitation is stored in the tab, and no part of it is in the query of the sign-in', () => {
  let thrown: unknown;
  try {
    signedInOnly({ location: { href: link } });
  } catch (redirection) {
    thrown = redirection;
  }
  expect(thrown).toMatchObject({ options: { to: '/login', search: {} } });
  expect(JSON.stringify(thrown)).not.toContain('aSecret');
  expect(wayBack()).toBe(link);
  expect(isInvitation(wayBack())).toBe(true);
  expect(isInvitation('/token')).toBe(false);
});

it('an address without a fragment stays in the query, where a reload and a copied link have it', () => {
  expect(searchOfSignIn('/log?open=7')).toEqual({ from: '/log?open=7' });
  expect(wayBack()).toBeUndefined();
});

it('ends when the person is there', () => {
  storeWayBack(link);
  storeUser(buildConsoleUser());
  signedInOnly({ location: { href: link } });
  expect(wayBack()).toBeUndefined();
});

it('leads to this console only', () => {
  storeWayBack('//evil.example/x');
  expect(wayBack()).toBeUndefined();
});

it('survives the mail that resets a password, which opens another tab, for an hour and once', () => {
  storeWayBack(link);
  lendWayBack(1000);
  sessionStorage.clear();
  takeLentWayBack(1000 + 3_599_999);
  expect(wayBack()).toBe(link);
  sessionStorage.clear();
  takeLentWayBack(1000);
  expect(wayBack()).toBeUndefined();

  storeWayBack(link);
  lendWayBack(1000);
  sessionStorage.clear();
  takeLentWayBack(1000 + 3_600_000);
  expect(wayBack()).toBeUndefined();
});
