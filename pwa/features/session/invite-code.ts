const storageKey = 'aff';

/** Keeps an invite code from the address until somebody registers on this device. */
export function keepInviteCode(code: string | undefined): void {
  if (code !== undefined && code !== '') localStorage.setItem(storageKey, code);
}

export function keptInviteCode(): string | undefined {
  return localStorage.getItem(storageKey) ?? undefined;
}
