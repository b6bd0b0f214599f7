import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Role } from '#shared/roles.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { NoLinks } from './no-links.tsx';

describe('a site without chat applications', () => {
  let screen: DrawnScreen;
  beforeAll(() => startScreenTexts('chat'));
  afterEach(() => {
    screen.leave();
    localStorage.clear();
  });

  it.each([Role.admin, Role.root])('leads an administrator of role %i to the settings, not to an administrator', (role) => {
    storeUser(buildConsoleUser({ role }));
    screen = drawScreen(<NoLinks />);
    expect(screen.text()).not.toContain('ask an administrator');
    expect(document.querySelector('a')?.getAttribute('href')).toBe('/setting?tab=chats');
  });

  it('asks a user to turn to an administrator', () => {
    storeUser(buildConsoleUser({ role: Role.user }));
    screen = drawScreen(<NoLinks />);
    expect(screen.text()).toContain('ask an administrator');
    expect(document.querySelector('a')).toBeNull();
  });
});
