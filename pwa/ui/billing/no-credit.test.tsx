import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { storeUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { NoCredit } from './no-credit.tsx';

let screen: DrawnScreen;
beforeAll(() => startScreenTexts('shell'));
afterEach(() => {
  screen.leave();
  localStorage.removeItem('user');
});

describe('no-credit', () => {
  test.each([
    [1, false, 'Ask your administrator for some', '/topup'],
    [1, true, 'Top it up', '/topup'],
    [10, false, 'Ask the super admin for some', '/topup'],
    [100, false, 'Give it some', '/user/edit/42'],
    [100, true, 'Give it some', '/user/edit/42'],
  ])('role %d, top-up %s: %s', (role, canTopUp, said, way) => {
    storeUser(buildConsoleUser({ id: 42, role }));
    screen = drawScreen(<NoCredit canTopUp={canTopUp} />);
    expect(screen.text()).toContain(said);
    expect(document.querySelector('a')?.getAttribute('href')).toBe(way);
  });
});
