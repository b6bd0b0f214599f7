import { describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import type { SiteStatus } from '#shared/site.ts';
import { menuEntries } from './menu-entries.ts';

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
