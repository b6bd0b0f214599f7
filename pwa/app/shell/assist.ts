// Support for keyboards and screen readers; loaded after the first screen.
import { announceScreens } from './announce-screen.ts';
import { keepFocus } from './keep-focus.ts';

/** Returns the way to stop. */
export function assist(): () => void {
  const stops = [keepFocus(), announceScreens()];
  return () => stops.forEach((stop) => stop());
}
