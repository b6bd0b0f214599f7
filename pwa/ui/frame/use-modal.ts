import { type RefObject, useLayoutEffect, useRef } from 'react';

/** For a `dialog` that is open while it is mounted: the browser keeps the focus inside and gives it back. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it leaves the page: after that the browser gives no focus back.
  useLayoutEffect(() => {
    const node = dialog.current;
    node?.showModal();
    return () => node?.close();
  }, []);
  return dialog;
}
