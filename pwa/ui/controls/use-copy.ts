import { useEffect, useRef, useState } from 'react';

const doneTime = 1600;

/** Copies a text; where the browser refuses, `manual` holds it for a dialog to show. */
export function useCopy(): { copy: (text: string) => Promise<void>; isDone: boolean; manual: string | null; closeManual: () => void } {
  const [isDone, setDone] = useState(false);
  const [manual, setManual] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No permission, or a page without TLS.
      setManual(text);
      return;
    }
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), doneTime);
  }
  return { copy, isDone, manual, closeManual: () => setManual(null) };
}
