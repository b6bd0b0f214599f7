import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Ref of a `dialog` that is open while it is mounted: the browser traps the focus and restores it. The focus begins at the element with
 * `data-autofocus`: React's `autoFocus` runs while the dialog is closed, where no element can take the focus.
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
