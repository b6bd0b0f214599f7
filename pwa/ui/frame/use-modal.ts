import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For a `dialog` that is open while it is mounted: the browser keeps the focus inside and gives it back. The focus begins at the
 * element with `data-autofocus`: React's `autoFocus` runs while the dialog is closed, where nothing can take the focus.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it leaves the page: after that the browser gives no focus back.
  useLayoutEffect(() => {
    const node = dialog.current;
    node?.showModal();
    node?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => node?.close();
  }, []);
  return dialog;
}
