import { type ReactNode, startTransition, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { HeldBack, LoadFailure, type PartFailure, useAfter } from './query-state.tsx';
import styles from './together.module.css';

/** Longest wait for the slowest part, in milliseconds. */
const patience = 3_000;
/** What comes sooner is simply there: shapes would only flicker, and what is as high as it will be would move. */
const shapesAfter = 400;

interface TogetherProps {
  /** All of it, for the sentence that says that it could not be loaded. */
  what: string;
  children: ReactNode;
}

/**
 * Parts whose height depends on their data, each with its own request: they are drawn at once as shapes, and filled together with the first
 * responses, so that none pushes another down. A failure that most of them share is shown once, above them, with one retry.
 */
export function Together({ what, children }: TogetherProps) {
  const [isReady, setReady] = useState(false);
  const failures = useCommonFailure();
  const waiting = useRef(new Set<string>());
  const onWaiting = useCallback((part: string, isWaiting: boolean) => {
    if (isWaiting) waiting.current.add(part);
    // Requests of other parts of the page do not count: they do not change the height of these.
    else if (waiting.current.delete(part) && waiting.current.size === 0) startTransition(() => setReady(true));
  }, []);
  useEffect(() => {
    // In slices: there is much to draw at once.
    const fill = (): void => startTransition(() => setReady(true));
    // The parts have sent their requests: their effects run before this one.
    if (waiting.current.size === 0) fill();
    const timer = setTimeout(fill, patience);
    return () => clearTimeout(timer);
  }, []);
  const isSlow = useAfter(shapesAfter);
  const { shownAbove, onFailure, onGone, common } = failures;
  const held = useMemo(
    () => ({ isHeld: !isReady, shownAbove, onWaiting, onFailure, onGone }),
    [isReady, shownAbove, onWaiting, onFailure, onGone],
  );
  return (
    <HeldBack value={held}>
      {common !== undefined && (
        <div className={styles.failure}>
          <LoadFailure what={what} error={common.error} isRetrying={common.isRetrying} onRetry={common.retry} />
        </div>
      )}
      <div className={styles.parts} data-hidden={(!isReady && !isSlow) || undefined} data-failed={common !== undefined || undefined}>
        {children}
      </div>
    </HeldBack>
  );
}

const noParts: ReadonlySet<string> = new Set();

/** The failure that more than half of the parts have in common, at least two of them. */
function useCommonFailure() {
  const parts = useRef(new Map<string, PartFailure | undefined>());
  const [failed, setFailed] = useState<Group>([]);
  const [onFailure, onGone] = useMemo(() => {
    const look = (): void => setFailed((before) => reuseEmpty(before, largestGroup(parts.current)));
    return [
      (part: string, failure: PartFailure | undefined): void => {
        parts.current.set(part, failure);
        look();
      },
      (part: string): void => {
        parts.current.delete(part);
        look();
      },
    ] as const;
  }, []);
  const names = failed.map(([part]) => part).join(' ');
  const shownAbove = useMemo(() => (names === '' ? noParts : new Set(names.split(' '))), [names]);
  const [first] = failed;
  const common = first && {
    error: first[1].error,
    isRetrying: failed.some(([, { isRetrying }]) => isRetrying),
    retry: () => failed.forEach(([, { retry }]) => retry()),
  };
  return { shownAbove, onFailure, onGone, common };
}

type Group = readonly (readonly [part: string, failure: PartFailure])[];

/** Returns the same empty group while nothing fails, which avoids a redraw. */
function reuseEmpty(before: Group, now: Group): Group {
  return before.length === 0 && now.length === 0 ? before : now;
}

function largestGroup(parts: ReadonlyMap<string, PartFailure | undefined>): Group {
  const failed = [...parts].flatMap(([part, failure]) => (failure === undefined ? [] : [[part, failure] as const]));
  const groups = [...Map.groupBy(failed, ([, { error }]) => error.message).values()];
  const [largest = []] = groups.toSorted((a, b) => b.length - a.length);
  return largest.length >= 2 && largest.length * 2 > parts.size ? largest : [];
}

/** Column next to the first one: filled right after it, in a separate task. One task for both would block a slow phone. */
export function Following({ children }: { children: ReactNode }) {
  const around = use(HeldBack);
  const { isHeld } = around;
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!isHeld) startTransition(() => setReady(true));
  }, [isHeld]);
  const held = useMemo(() => ({ ...around, isHeld: isHeld || !isReady }), [around, isHeld, isReady]);
  return <HeldBack value={held}>{children}</HeldBack>;
}
