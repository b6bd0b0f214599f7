import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * A function that stays the same from render to render and does what the latest one does: for handlers that memoised
 * rows are given. To be called from events, not while rendering.
 */
export function useStableHandler<Given extends unknown[], Result>(handler: (...given: Given) => Result): (...given: Given) => Result {
  const latest = useRef(handler);
  useLayoutEffect(() => {
    latest.current = handler;
  });
  return useCallback((...given: Given) => latest.current(...given), []);
}
