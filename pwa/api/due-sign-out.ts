// A sign-out that the server has not received yet: scripts cannot delete the cookie, so only the server can end the session. The mark outlives the
// browser. A new sign-in replaces the session, and with it the mark.

const storageKey = 'sign-out-due';

interface DueSignOut {
  /** Milliseconds since 1970. */
  at: number;
  userId: number;
}

/** Marks a sign-out as of now. */
export function markSignOut(userId: number): void {
  localStorage.setItem(storageKey, `${Date.now()} ${userId}`);
}

export function forgetSignOut(): void {
  localStorage.removeItem(storageKey);
}

/** Who signed out, and when; null: the server knows. */
export function dueSignOut(): DueSignOut | null {
  const [at = Number.NaN, userId = Number.NaN] = (localStorage.getItem(storageKey) ?? '').split(' ').map(Number);
  return at > 0 && Number.isInteger(userId) ? { at, userId } : null;
}
