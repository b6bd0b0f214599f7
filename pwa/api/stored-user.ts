// Who is signed in on this device. The session itself is a cookie that scripts cannot see; this is the copy of the
// account that lets the console open without a network, under the local storage key that existing clients use.
import { User } from '#shared/user.ts';
import { createListeners } from '#pwa/ui/store.ts';
import { forgetSignOut } from './due-sign-out.ts';

const storageKey = 'user';
/** What the first paint draws, before any script: `user` or `guest` (index.html). */
const shellKey = 'shell';
/** Sign-ins on this device so far: two sessions of one user are told apart by it. */
const signInsKey = 'sign-ins';
const { subscribe, emit } = createListeners();
let current: { text: string | null; user: User | null } | undefined;

/** The stored account, or null when nobody is signed in. The same object until it changes. */
export function storedUser(): User | null {
  const text = localStorage.getItem(storageKey);
  if (current?.text !== text) current = { text, user: parseUser(text) };
  return current.user;
}

/** Somebody has signed in. */
export function storeUser(user: User): void {
  localStorage.setItem(signInsKey, String(signIns() + 1));
  // The sign-in has ended the session before it.
  forgetSignOut();
  refreshUser(user);
}

/** The account of who is signed in, as the server has it now. */
export function refreshUser(user: User): void {
  localStorage.setItem(storageKey, JSON.stringify(user));
  localStorage.setItem(shellKey, 'user');
  emit();
}

export function signIns(): number {
  return Number(localStorage.getItem(signInsKey)) || 0;
}

export function forgetUser(): void {
  localStorage.removeItem(storageKey);
  localStorage.setItem(shellKey, 'guest');
  emit();
}

/** Calls `listener` on every change, also when another tab signs in or out. */
export const onStoredUserChange = subscribe;

globalThis.addEventListener?.('storage', (event) => {
  if (event instanceof StorageEvent && (event.key === storageKey || event.key === null)) emit();
});

function parseUser(text: string | null): User | null {
  if (text === null) return null;
  try {
    const parsed = User.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
