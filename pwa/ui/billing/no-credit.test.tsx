import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { NoCredit } from './no-credit.tsx';

let screen: DrawnScreen;
beforeAll(() => startScreenTexts('shell'));
afterEach(() => {
  screen.leave();
});

describe('no-credit', () => {
  test.each([
    [1, false, 'Ask your administrator for some', '/topup'],
    [1, true, 'Top it up', '/topup'],
    [10, false, 'Ask the super admin for some', '/topup'],
    [100, false, 'Give it some', '/user/edit/42'],
    [100, true, 'Give it some', '/user/edit/42'],
  ])('role %d, top-up %s: %s', (role, canTopUp, said, route) => {
    screen = drawScreen(<NoCredit user={{ id: 42, role }} canTopUp={canTopUp} />);
    expect(screen.text()).toContain(said);
    expect(document.querySelector('a')?.getAttribute('href')).toBe(route);
  });
});
