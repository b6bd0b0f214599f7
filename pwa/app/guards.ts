// Guards of screens: `beforeLoad` of their routes. The server enforces access; guards only avoid empty screens.
import { redirect } from '@tanstack/react-router';
import { Role } from '#shared/roles.ts';
import { storedUser } from '#pwa/api/stored-user.ts';
import { forgetWayBack, searchOfSignIn } from '#pwa/api/way-back.ts';

interface Opening {
  location: { href: string };
}

/** Thrown for a screen that the account's role may not open; the error screen says so in words. */
export class NoRightError extends Error {}

/** Without a signed-in user, opens the sign-in, and this address after it. */
export function signedInOnly({ location }: Opening): void {
  if (storedUser() === null) throw redirect({ to: '/login', search: searchOfSignIn(location.href) });
  forgetWayBack();
}

export function adminOnly(opening: Opening): void {
  signedInOnly(opening);
  if ((storedUser()?.role ?? 0) < Role.admin) throw new NoRightError('administrators only');
}

export function rootOnly(opening: Opening): void {
  signedInOnly(opening);
  if ((storedUser()?.role ?? 0) < Role.root) throw new NoRightError('super administrators only');
}
