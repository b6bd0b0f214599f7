import { beforeEach, describe, expect, it } from 'vitest';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { dueSignOut, markSignOut } from './due-sign-out.ts';
import { forgetUser, onStoredUserChange, storedUser, storeUser } from './stored-user.ts';

beforeEach(() => localStorage.clear());

/** Dispatches the event with which a browser notifies the other tabs. */
function inAnotherTab(key: string | null, value: string | null): void {
  if (key === null) localStorage.clear();
  else if (value === null) localStorage.removeItem(key);
  else localStorage.setItem(key, value);
  window.dispatchEvent(new StorageEvent('storage', { key, newValue: value }));
}

describe('stored-user', () => {
  it('who signed in is known, and is the same object until it changes', () => {
    expect(storedUser()).toBeNull();
    storeUser(buildConsoleUser({ id: 7, username: 'alice' }));
    expect(storedUser()).toMatchObject({ id: 7, username: 'alice' });
    expect(storedUser()).toBe(storedUser());
    const before = storedUser();
    storeUser(buildConsoleUser({ id: 7, username: 'alice', quota: 5 }));
    expect(storedUser()).not.toBe(before);
  });

  it('the first paint knows whom it draws for', () => {
    storeUser(buildConsoleUser());
    expect(localStorage.getItem('shell')).toBe('user');
    forgetUser();
    expect(localStorage.getItem('shell')).toBe('guest');
    expect(storedUser()).toBeNull();
  });

  it('another tab signs in, as somebody else, and out: this one hears of each', () => {
    const seen: (string | undefined)[] = [];
    const stop = onStoredUserChange(() => seen.push(storedUser()?.username));
    inAnotherTab('user', JSON.stringify(buildConsoleUser({ username: 'alice' })));
    inAnotherTab('user', JSON.stringify(buildConsoleUser({ id: 8, username: 'bob' })));
    inAnotherTab('user', null);
    expect(seen).toEqual(['alice', 'bob', undefined]);
    stop();
    inAnotherTab('user', JSON.stringify(buildConsoleUser()));
    expect(seen).toHaveLength(3);
  });

  it('all of the site’s storage cleared elsewhere is a sign-out, another key is nothing', () => {
    storeUser(buildConsoleUser());
    let changes = 0;
    const stop = onStoredUserChange(() => (changes += 1));
    inAnotherTab('page-size', '50');
    expect(changes).toBe(0);
    inAnotherTab(null, null);
    expect(changes).toBe(1);
    expect(storedUser()).toBeNull();
    stop();
  });

  it.each(['', 'null', '{', '[]', '{"id":"7"}', '{"id":7}', '"alice"'])('%j is nobody', (text) => {
    localStorage.setItem('user', text);
    expect(storedUser()).toBeNull();
  });

  it('what a newer server adds does not make the account unreadable', () => {
    localStorage.setItem('user', JSON.stringify({ ...buildConsoleUser(), shoe_size: 43 }));
    expect(storedUser()).toMatchObject({ username: 'alice' });
  });

  it('a sign-in takes back the sign-out that the server has not heard of', () => {
    markSignOut(7);
    expect(dueSignOut()).toMatchObject({ userId: 7, at: expect.any(Number) });
    storeUser(buildConsoleUser());
    expect(dueSignOut()).toBeNull();
  });

  it.each(['', 'x', '0 7', '17700 x', 'NaN NaN'])('a mark of %j is no sign-out', (text) => {
    localStorage.setItem('sign-out-due', text);
    expect(dueSignOut()).toBeNull();
  });
});
