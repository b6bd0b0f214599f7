// Forms with unsaved edits. While any exist, leaving needs a confirmation and an update of the console waits.
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { markUnsaved } from './unsaved-store.ts';

/**
 * Placed in a form: `when` the form is dirty, a change to another screen or record (search key `open`) needs a confirmation. Other changes
 * of the address, such as a page or a filter of the list, pass.
 */
export function UnsavedEdits({ when }: { when: boolean }) {
  const { t } = useTranslation();
  const id = useId();
  useEffect(() => {
    if (!when) return;
    markUnsaved(id, true);
    return () => markUnsaved(id, false);
  }, [when, id]);

  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && (current.pathname !== next.pathname || openOf(current.search) !== openOf(next.search)),
    enableBeforeUnload: () => when,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      title={t('common.unsaved.title')}
      text={t('common.unsaved.text')}
      confirmLabel={t('common.unsaved.leave')}
      cancelLabel={t('common.unsaved.stay')}
      isDanger
      onConfirm={() => proceed?.()}
      onCancel={() => reset?.()}
    />
  );
}

function openOf(search: unknown): string {
  return typeof search === 'object' && search !== null && 'open' in search ? String(search.open) : '';
}
