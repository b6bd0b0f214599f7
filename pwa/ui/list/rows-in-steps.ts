import { startTransition, useEffect, useState } from 'react';

/** A page as it is at first. A screen shows about twenty: those that follow come with the next frames. */
const firstRows = 10;
const furtherRows = 10;

/**
 * How many rows are drawn now: those in sight at once, the others in small portions afterwards. A hundred rows in one
 * go would keep a slow phone from answering a touch. None yet: rows that have just come are drawn in slices, while what stood in
 * their place stays.
 */
export function useRowsInSteps<Row>(rows: readonly Row[], rowKey: (row: Row) => string | number): number {
  const [state, setState] = useState({ rows, drawn: firstRows });
  let { drawn } = state;
  if (state.rows !== rows) {
    const before = new Set(state.rows.map(rowKey));
    // The same list, read again or longer, keeps what stands; another page starts anew.
    const isSame = rows.some((row) => before.has(rowKey(row)));
    if (state.rows.length === 0) drawn = 0;
    else drawn = isSame ? Math.max(firstRows, Math.min(drawn, state.rows.length)) : firstRows;
    setState({ rows, drawn });
  }
  const isWhole = drawn >= rows.length;
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() =>
      startTransition(() =>
        setState((now) => (now.rows === rows ? { rows, drawn: drawn + (drawn === 0 ? firstRows : furtherRows) } : now)),
      ),
    );
    return () => clearTimeout(timer);
  }, [rows, drawn, isWhole]);
  return Math.min(drawn, rows.length);
}
