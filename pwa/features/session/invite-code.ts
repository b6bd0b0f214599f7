const storageKey = 'aff';

/** Keeps an invite code from the address until somebody registers on this device. */
export function keepInviteCode(code: string | undefined): void {
  if (code !== undefined && code !== '') localStorage.setItem(storageKey, code);
}

export function keptInviteCode(): string | undefined {
  return localStorage.getItem(storageKey) ?? undefined;
}

/** It served its purpose: the next registration on this device is somebody else's. */
export function forgetInviteCode(): void {
  localStorage.removeItem(storageKey);
}
