// Rules for e-mail addresses that this site accepts.
import { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import type { Settings } from '#server/settings/settings.ts';

export const longestEmail = 50;
const address = z.email();

/** Reports whether the syntax is valid, including quoted names, which sites reject. */
export function isAddress(given: string): boolean {
  return address.safeParse(given.trim().replace(/^"[^"\n]+"@/, 'quoted@')).success;
}

/** Reason why an address is rejected; undefined if it is accepted. */
export function emailProblem(settings: Settings, given: string): ErrorCode | undefined {
  const email = given.trim();
  if (!address.safeParse(email).success || Array.from(email).length > longestEmail) return 'email_invalid';
  const [name = '', domain = ''] = email.split('@');
  if (settings.get('EmailDomainRestrictionEnabled') && !settings.get('EmailDomainWhitelist').includes(domain.toLowerCase())) {
    return 'email_domain_refused';
  }
  if (settings.get('EmailAliasRestrictionEnabled') && /[+.]/.test(name)) return 'email_alias_refused';
  return undefined;
}
