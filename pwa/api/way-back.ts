// Where a person wanted to go before signing in, until they are there: through registration, a provider's sign-in and a reset of the password. Stored
// in the tab, because links of invitations hold a secret, which must not stand in a query: proxies log queries.
import { ownAddress } from './own-address.ts';

const storageKey = 'way-back';
/** The mail that resets a password opens another tab. */
const lentMs = 3_600_000;

export function storeWayBack(address: string): void {
  sessionStorage.setItem(storageKey, address);
}

/** Returns an address of this console; undefined if there is none. */
export function wayBack(): string | undefined {
  return ownAddress(sessionStorage.getItem(storageKey) ?? '');
}

export function forgetWayBack(): void {
  sessionStorage.removeItem(storageKey);
  localStorage.removeItem(storageKey);
}

/** Search of the sign-in that leads back to an address. One with a fragment is stored instead. */
export function searchOfSignIn(address: string): { from?: string } {
  if (!address.includes('#')) return { from: address };
  storeWayBack(address);
  return {};
}

export function isInvitation(address: string | undefined): boolean {
  return address?.startsWith('/organisation-invite#') === true;
}

/** Hands the way back to the tab in which the link of a mail is opened. */
export function lendWayBack(now: number): void {
  const address = wayBack();
  if (address !== undefined) localStorage.setItem(storageKey, `${now + lentMs} ${address}`);
}

export function takeLentWayBack(now: number): void {
  const [until, address] = (localStorage.getItem(storageKey) ?? '').split(' ');
  localStorage.removeItem(storageKey);
  if (address !== undefined && Number(until) > now) storeWayBack(address);
}
