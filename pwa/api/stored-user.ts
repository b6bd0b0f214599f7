// Who is signed in on this device. The session itself is a cookie that scripts cannot see; this is the copy of the
// account that lets the console open without a network, under the local storage key that existing clients use.
import { Role } from '#shared/roles.ts';
import { User } from '#shared/user.ts';
import { createListeners } from '#pwa/ui/store.ts';
import { actingChoice, onActingChange } from './acting-choice.ts';
import { forgetSignOut } from './due-sign-out.ts';

const storageKey = 'user';
/** What the first paint draws, before any script: `user` or `guest` (index.html). */
const shellKey = 'shell';
/** Sign-ins on this device so far: distinguishes two sessions of one user. */
const signInsKey = 'sign-ins';
const { subscribe, emit } = createListeners();
let current: { text: string | null; user: User | null } | undefined;

/** Whose session is over while this page holds what they typed. */
let held: User | null = null;
/** Whether this page was the last to forget who was signed in: another tab may have done it, too. */
let isForgottenHere = false;

let member: { of: User; user: User } | undefined;

/**
 * Returns the user that this page shows, or null without one. The same object until it changes. Who acts for an organisation has no rights over the site
 * meanwhile.
 */
export function storedUser(): User | null {
  const user = held ?? signedInUser();
  if (user === null || user.role <= Role.user || actingChoice()?.user !== user.id) return user;
  if (member?.of !== user) member = { of: user, user: { ...user, role: Role.user } };
  return member.user;
}

/** Returns the user who is signed in on this device, which this page may not show. */
export function signedInUser(): User | null {
  const text = localStorage.getItem(storageKey);
  if (current?.text !== text) current = { text, user: parseUser(text) };
  return current.user;
}

/** Returns the account whose session is over, and that this page still shows; null: none is. */
export function heldUser(): User | null {
  return held;
}

/** Still shows an account whose session is over, in this page alone, until `holdUser(null)`. */
export function holdUser(user: User | null): void {
  held = user;
  emit();
}

/** Ends the session of the signed-in user; this page still shows the account. In one step: nothing is rendered for a guest in between. */
export function forgetAndHoldUser(): void {
  held = signedInUser();
  forgetUser();
}

/** Shows who is signed in on this device, and gives up what was typed for the account before. */
export function dropHeldUser(): void {
  isForgottenHere = true;
  holdUser(null);
}

export function wasForgottenHere(): boolean {
  return isForgottenHere;
}

/** Stores a user who has signed in. */
export function storeUser(user: User): void {
  localStorage.setItem(signInsKey, String(signIns() + 1));
  // The sign-in has ended the session before it.
  forgetSignOut();
  refreshUser(user);
}

/** The account of who is signed in, as the server has it now. */
export function refreshUser(user: User): void {
  isForgottenHere = false;
  localStorage.setItem(storageKey, JSON.stringify(user));
  localStorage.setItem(shellKey, 'user');
  emit();
}

export function signIns(): number {
  return Number(localStorage.getItem(signInsKey)) || 0;
}

export function forgetUser(): void {
  isForgottenHere = true;
  localStorage.removeItem(storageKey);
  localStorage.setItem(shellKey, 'guest');
  emit();
}

/** Calls `listener` on every change, also when another tab signs in or out, or this one acts for another account. */
export function onStoredUserChange(listener: () => void): () => void {
  const stops = [subscribe(listener), onActingChange(listener)];
  return () => {
    for (const stop of stops) stop();
  };
}

globalThis.addEventListener?.('storage', (event) => {
  if (event instanceof StorageEvent && (event.key === storageKey || event.key === null)) {
    isForgottenHere = false;
    emit();
  }
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
