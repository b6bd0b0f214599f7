import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { SkeletonLines } from './query-state.tsx';
import styles from './together.module.css';

/** Nobody waits longer for the slowest part. Milliseconds. */
const patience = 3_000;

/**
 * Parts that are as high as what they hold, and ask for it each by themselves: they are drawn together once the first answers are there,
 * so that none pushes another down.
 */
export function Together({ lines, children }: { lines: number; children: ReactNode }) {
  const client = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const look = (): void => {
      if (client.isFetching({ predicate: (query) => query.state.data === undefined }) === 0) setReady(true);
    };
    // The parts have begun to ask: their effects run before this one.
    look();
    const stop = client.getQueryCache().subscribe(look);
    const timer = setTimeout(() => setReady(true), patience);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
  return (
    <>
      {!isReady && (
        <div className={styles.waiting}>
          <SkeletonLines lines={lines} />
        </div>
      )}
      <div className={styles.parts} data-hidden={!isReady || undefined}>
        {children}
      </div>
    </>
  );
}
