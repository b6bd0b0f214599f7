const storageKey = 'aff';

/** Stores an invite code of the address until a registration on this device. */
export function storeInviteCode(code: string | undefined): void {
  if (code !== undefined && code !== '') localStorage.setItem(storageKey, code);
}

export function storedInviteCode(): string | undefined {
  return localStorage.getItem(storageKey) ?? undefined;
}

/** The code is used up: the next registration on this device is another person's. */
export function forgetInviteCode(): void {
  localStorage.removeItem(storageKey);
}
