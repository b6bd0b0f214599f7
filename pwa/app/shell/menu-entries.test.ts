import { describe, expect, test } from 'vitest';
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import type { SiteStatus } from '#shared/site.ts';
import { isWithin, menuEntries, parentOf } from './menu-entries.ts';

const site = (facts: Partial<SiteStatus>) => facts as SiteStatus;
const paths = (status: SiteStatus | undefined, role: number = Role.user) => menuEntries(role, status).map(({ to }) => to);

describe('menu entries', () => {
  test('of drawings and tasks are there when the site has them', () => {
    expect(paths(site({ enable_drawing: true, enable_task: false }))).toContain('/midjourney');
    expect(paths(site({ enable_drawing: true, enable_task: false }))).not.toContain('/task');
    expect(paths(site({ enable_drawing: false, enable_task: true }))).toContain('/task');
  });

  test('before the site is known: the dashboard, neither drawings nor tasks', () => {
    expect(paths(undefined)).toContain('/detail');
    expect(paths(undefined)).not.toContain('/midjourney');
  });

  test('are those of the role', () => {
    expect(paths(site({ enable_drawing: true }), Role.guest)).not.toContain('/midjourney');
    expect(paths(undefined)).not.toContain('/channel');
    expect(paths(undefined, Role.admin)).toContain('/channel');
  });
});

test('menu: on behalf of an organisation it has what the role may', () => {
  const of = (role: OrganisationRole) => menuEntries(Role.user, undefined, role).map(({ to }) => to);
  expect(of('developer')).toEqual(['/', '/token', '/log', '/pricing', '/organisations', '/personal', '/about']);
  expect(of('billing')).toEqual(['/', '/detail', '/log', '/topup', '/pricing', '/organisations', '/personal', '/about']);
  expect(of('reader')).not.toContain('/topup');
  expect(of('owner')).toEqual(expect.arrayContaining(['/token', '/log', '/topup']));
});

test('menu: what is opened within a screen is at that screen, and nowhere else', () => {
  const at = (path: string) =>
    menuEntries(Role.root, undefined)
      .filter((entry) => isWithin(entry, path))
      .map(({ to }) => to);
  expect(at('/')).toEqual(['/']);
  expect(at('/token')).toEqual(['/token']);
  expect(at('/token/edit/1')).toEqual(['/token']);
  expect(at('/tokens')).toEqual([]);
  expect(at('/invitations')).toEqual(['/user']);
  expect(at('/balances')).toEqual(['/user']);
  expect(at('/statement')).toEqual(['/topup']);
  expect(at('/organisation/7')).toEqual(['/organisations']);
  // Links of chat applications mark themselves, and their parent does not.
  expect(['/chat/0', '/channel/add', '/'].map(parentOf)).toEqual([undefined, undefined, undefined]);
});
