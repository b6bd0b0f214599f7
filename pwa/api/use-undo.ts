// Disabling and deleting act at once; for ten seconds the way back is offered.
import { useTranslation } from 'react-i18next';
import { toastFailure, toastSuccess, toastUndo } from '#pwa/ui/frame/toast.ts';
import { failureOf } from './failure.ts';

/**
 * Offers to undo the action that `text` reports. `undo` sends the request; false: it could not be undone, or not completely. While the server cannot
 * be reached it is offered again.
 */
export function useUndo(): (text: string, undo: () => Promise<boolean>) => void {
  const { t } = useTranslation();
  return function offer(text, undo): void {
    toastUndo(text, () => {
      undo().then(
        (isWhole) => {
          if (isWhole) toastSuccess(t('common.undo.done'));
          else toastFailure({ code: 'undo_late', message: t('common.undo.late') });
        },
        (error: unknown) => {
          const failure = failureOf(error);
          toastFailure(failure);
          if (failure.isUnreachable) offer(text, undo);
        },
      );
    });
  };
}
