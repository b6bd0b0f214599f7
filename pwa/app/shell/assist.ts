// Support for keyboards and screen readers; loaded after the first screen.
import { announceScreens } from './announce-screen.ts';
import { restoreFocus } from './restore-focus.ts';

/** Returns the way to stop. */
export function assist(): () => void {
  const stops = [restoreFocus(), announceScreens()];
  return () => stops.forEach((stop) => stop());
}
