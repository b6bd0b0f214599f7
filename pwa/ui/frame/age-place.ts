// Where a list's age stands: at the top right of its screen, which is not the list's own to draw.
import { createContext } from 'react';

/** Undefined: there is no such place, so the list shows its age itself. Null: not there yet. */
export const AgePlace = createContext<HTMLElement | null | undefined>(undefined);
