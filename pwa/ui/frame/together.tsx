import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, startTransition, use, useEffect, useState } from 'react';
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
  const client = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // In slices: there is much to draw at once.
    const fill = (): void => startTransition(() => setReady(true));
    const look = (): void => {
      if (client.isFetching({ predicate: (query) => query.state.data === undefined }) === 0) fill();
    };
    // The parts have begun to ask: their effects run before this one.
    look();
    const stop = client.getQueryCache().subscribe(look);
    const timer = setTimeout(fill, patience);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
  const isSlow = useAfter(shapesAfter);
  return (
    <HeldBack value={!isReady}>
      <div className={styles.parts} data-hidden={(!isReady && !isSlow) || undefined}>
        {children}
      </div>
    </HeldBack>
  );
}

/** A column beside the first one: filled right after it, in a task of its own. Both at once keep a slow phone from answering. */
export function Following({ children }: { children: ReactNode }) {
  const isHeld = use(HeldBack);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!isHeld) startTransition(() => setReady(true));
  }, [isHeld]);
  return <HeldBack value={isHeld || !isReady}>{children}</HeldBack>;
}
