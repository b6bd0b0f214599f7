import { type ReactNode, startTransition, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { HeldBack, useAfter } from './query-state.tsx';
import styles from './together.module.css';

/** Nobody waits longer for the slowest part. Milliseconds. */
const patience = 3_000;
/** What comes sooner is simply there: shapes would only flicker, and what is as high as it will be would move. */
const shapesAfter = 400;

/**
 * Parts that are as high as what they hold, and ask for it each by themselves: they stand there at once as shapes, and are filled together
 * once the first answers are there, so that none pushes another down.
 */
export function Together({ children }: { children: ReactNode }) {
  const [isReady, setReady] = useState(false);
  const waiting = useRef(new Set<string>());
  const onWaiting = useCallback((part: string, isWaiting: boolean) => {
    if (isWaiting) waiting.current.add(part);
    // Not what other parts of the page ask for: those are no higher for it.
    else if (waiting.current.delete(part) && waiting.current.size === 0) startTransition(() => setReady(true));
  }, []);
  useEffect(() => {
    // In slices: there is much to draw at once.
    const fill = (): void => startTransition(() => setReady(true));
    // The parts have begun to ask: their effects run before this one.
    if (waiting.current.size === 0) fill();
    const timer = setTimeout(fill, patience);
    return () => clearTimeout(timer);
  }, []);
  const isSlow = useAfter(shapesAfter);
  const held = useMemo(() => ({ isHeld: !isReady, onWaiting }), [isReady, onWaiting]);
  return (
    <HeldBack value={held}>
      <div className={styles.parts} data-hidden={(!isReady && !isSlow) || undefined}>
        {children}
      </div>
    </HeldBack>
  );
}

/** A column beside the first one: filled right after it, in a task of its own. Both at once keep a slow phone from answering. */
export function Following({ children }: { children: ReactNode }) {
  const { isHeld, onWaiting } = use(HeldBack);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!isHeld) startTransition(() => setReady(true));
  }, [isHeld]);
  const held = useMemo(() => ({ isHeld: isHeld || !isReady, onWaiting }), [isHeld, isReady, onWaiting]);
  return <HeldBack value={held}>{children}</HeldBack>;
}
