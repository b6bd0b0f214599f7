import { useEffect, useRef, useState } from 'react';
import type { DraftTest } from './use-draft-test.ts';

interface Creation {
  draft: DraftTest;
  /** The form's content as text, as of now. */
  content: () => string;
  create: () => void;
}

/** Creates a new channel after a successful test; the user may skip the wait. */
export function useTestedCreation({ draft, content, create }: Creation) {
  const [isWaiting, setWaiting] = useState(false);
  // Which start counts: a form that was closed, changed or created meanwhile is not created by an older test.
  const current = useRef(0);
  useEffect(
    () => () => {
      current.current += 1;
    },
    [],
  );

  async function start(): Promise<void> {
    if (draft.result?.state === 'ok') {
      create();
      return;
    }
    current.current += 1;
    const mine = current.current;
    const tested = content();
    setWaiting(true);
    const isGood = await draft.run();
    if (current.current !== mine) return;
    setWaiting(false);
    if (isGood && content() === tested) create();
  }
  function skip(): void {
    current.current += 1;
    setWaiting(false);
    create();
  }
  return { isWaiting, start, skip };
}
