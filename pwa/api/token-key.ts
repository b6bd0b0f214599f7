import { safeLink } from '#shared/links.ts';
import type { Token } from '#shared/tokens.ts';

const stars = '**********';

/** Masks a key: the result distinguishes keys and gives no access; stored on this device for the time without a network. */
export function maskKey(key: string): string {
  return key === '' || isMasked(key) ? key : `${key.slice(0, 3)}${stars}${key.slice(-3)}`;
}

/** A key as lists show it: masked, or its ending if its text is not known. */
export function shownKey({ key, key_ending: ending }: Pick<Token, 'key' | 'key_ending'>): string {
  return key === '' && ending !== undefined ? `sk-…${ending}` : `sk-${maskKey(key)}`;
}

function isMasked(key: string): boolean {
  return key.includes('*');
}

/** The key as clients use it; undefined when only its mask is here. */
export function wholeKey(token: Pick<Token, 'key'>): string | undefined {
  return token.key === '' || isMasked(token.key) ? undefined : `sk-${token.key}`;
}

/** A chat application's address with this key in it; undefined for one that is not to be followed. */
export function chatAddress(template: string, { key, address }: { key: string; address: string }): string | undefined {
  return safeLink(template.replaceAll('{address}', encodeURIComponent(address)).replaceAll('{key}', key), 'client');
}
