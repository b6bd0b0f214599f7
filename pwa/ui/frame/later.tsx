import { type ReactNode, useDeferredValue } from 'react';

/**
 * What may come a moment after the rest: the form of a record that J and K walk through, the sections of a long page below
 * the first. It is drawn in small slices between which the page answers, and never in the same go as what is around it.
 */
export function Later({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(true, false) ? children : null;
}
