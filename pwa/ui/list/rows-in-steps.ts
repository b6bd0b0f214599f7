import { startTransition, useEffect, useState } from 'react';

/** A page as it is at first. A screen shows about twenty: those that follow come with the next frames. */
const firstRows = 10;
/** Their layout and paint are one task: ten of a wide list were more than a slow phone does between two touches. */
const furtherRows = 5;

/**
 * Number of rows that are drawn: those in sight at once, the others in small portions afterwards. A hundred rows in one task would block a
 * slow phone. Zero at first: the first rows of a list are drawn in slices, while their placeholder stays.
 */
export function useRowsInSteps<Row>(rows: readonly Row[], rowKey: (row: Row) => string | number): number {
  const [state, setState] = useState({ rows, drawn: rows.length === 0 ? 0 : firstRows });
  let { drawn } = state;
  if (state.rows !== rows) {
    const before = new Set(state.rows.map(rowKey));
    // The same list, read again or longer, retains its rows; another page starts over.
    const isSame = rows.some((row) => before.has(rowKey(row)));
    if (drawn > 0) drawn = isSame ? Math.max(firstRows, Math.min(drawn, state.rows.length)) : firstRows;
    setState({ rows, drawn });
  }
  const isWhole = drawn >= rows.length;
  useEffect(() => {
    if (isWhole) return;
    const further = drawn === 0 ? firstRows : furtherRows;
    const draw = (): void => startTransition(() => setState((now) => (now.rows === rows ? { rows, drawn: drawn + further } : now)));
    if (drawn === 0) {
      draw();
      return;
    }
    const timer = setTimeout(draw);
    return () => clearTimeout(timer);
  }, [rows, drawn, isWhole]);
  return Math.min(drawn, rows.length);
}
