import { type ReactNode, useDeferredValue, useState } from 'react';

/**
 * What may come a moment after the rest: the form of a record that J and K walk through, the sections of a long page below
 * the first. It is drawn in small slices between which the page answers, and never in the same go as what is around it.
 */
export function Later({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(true, false) ? children : <Pending />;
}

/** Marks the place of a part that is about to be drawn: until then the screen is not all there. */
export function Pending(): ReactNode {
  return <span hidden aria-busy="true" />;
}

interface AfterFrameProps {
  /** What stands there meanwhile, busy; false: nothing is seen. */
  shape?: ReactNode;
  children: ReactNode;
}

/** What a screen holds. On the page's first one it comes after the frame, which takes the place of what index.html draws: both in one go are a long task. */
export function AfterFrame({ shape, children }: AfterFrameProps): ReactNode {
  const [isFirst] = useState(isFirstScreen);
  return useDeferredValue(true, !isFirst) ? children : shape || <Pending />;
}

/** What index.html draws stands until the first screen takes its place. */
export function isFirstScreen(): boolean {
  return document.querySelector('#root > [aria-busy]') !== null;
}
