// Organisation on whose behalf a tab acts. Chosen per tab; a new tab begins with the latest choice on this device.
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import { createListeners } from '#pwa/ui/store.ts';

const storageKey = 'acting';
const own = 'own';

export interface ActingChoice {
  /** Who made the choice; without effect for others. */
  user: number;
  id: number;
  name: string;
  /** As last known. */
  role: OrganisationRole;
}

const { subscribe, emit } = createListeners();
let current: ActingChoice | null | undefined;

/** Returns the choice of this tab, or null for the account of the user. The same object until it changes. */
export function actingChoice(): ActingChoice | null {
  if (current === undefined) {
    const text = sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey) ?? own;
    // Another tab's later choice is not for this one, also when this one is reloaded.
    sessionStorage.setItem(storageKey, text);
    current = parsed(text);
  }
  return current;
}

export function storeActingChoice(choice: ActingChoice | null): void {
  const text = choice === null ? own : JSON.stringify(choice);
  sessionStorage.setItem(storageKey, text);
  localStorage.setItem(storageKey, text);
  current = choice;
  emit();
}

export const onActingChange = subscribe;

/** Written by this file alone: a text of another shape is taken for no choice. */
function parsed(text: string): ActingChoice | null {
  try {
    const read: unknown = text === own ? null : JSON.parse(text);
    return isChoice(read) ? read : null;
  } catch {
    return null;
  }
}

function isChoice(read: unknown): read is ActingChoice {
  return typeof read === 'object' && read !== null && 'user' in read && 'id' in read && 'name' in read && 'role' in read;
}
