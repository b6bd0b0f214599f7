import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  type Redemption,
  type RedemptionAction,
  type RedemptionCreate,
  type RedemptionEdit,
  redemptionApi,
  RedemptionStatus,
  codeSetLimit,
} from '#shared/redemptions.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { useUndo } from '#pwa/api/use-undo.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';

/** Enables what is disabled and disables what is not used, at once. */
export function useToggleCode() {
  const { t } = useTranslation();
  const refresh = useRefreshCodes();
  const offerUndo = useUndo();
  return useMutation({
    mutationFn: ({ id, status }: Pick<Redemption, 'id' | 'status'>) =>
      call(redemptionApi.edit, {
        query: { status_only: 'true' },
        body: { id, status: status === RedemptionStatus.disabled ? RedemptionStatus.unused : RedemptionStatus.disabled },
      }),
    onSuccess: ({ id, name, revision }, { status }) => {
      if (status !== RedemptionStatus.unused) return;
      offerUndo(t('redemptions.undo.disabled', { name, id }), async () => {
        // Changes that others made since then stay.
        const body = { id, status: RedemptionStatus.unused, revision };
        await call(redemptionApi.edit, { query: { status_only: 'true' }, body }).finally(refresh);
        return true;
      });
    },
    onSettled: refresh,
  });
}

/** Answers how many it was. For a moment what was deleted can be had back as it was. */
export function useChangeCodes() {
  const { t } = useTranslation();
  const refresh = useRefreshCodes();
  const offerUndo = useUndo();
  return useMutation({
    mutationFn: (body: { ids: number[]; action: RedemptionAction }) => call(redemptionApi.batch, { body }),
    onSuccess: (count, { ids, action }) => {
      if ((action !== 'delete' && action !== 'disable') || count === 0) return;
      const back = action === 'delete' ? 'restore' : 'enable';
      offerUndo(t(`redemptions.changed.${action}`, { count }), async () => {
        const changed = await call(redemptionApi.batch, { body: { ids, action: back } }).finally(refresh);
        return changed === count;
      });
    },
    onSettled: refresh,
  });
}

/** All that have been redeemed, at once; for a moment they can be had back, unless they are very many. */
export function useRemoveUsedCodes() {
  const { t } = useTranslation();
  const refresh = useRefreshCodes();
  const offerUndo = useUndo();
  return useMutation({
    mutationFn: () => callWithExtra(redemptionApi.removeUsed),
    onSuccess: ({ data: count, extra: { ids } }) => {
      const text = t('redemptions.changed.delete', { count });
      if (count === 0 || ids === null) {
        toastSuccess(text);
        return;
      }
      const restore = restorationOf(ids);
      offerUndo(text, async () => {
        const restored = await restore().finally(refresh);
        return restored === count;
      });
    },
    onSettled: refresh,
  });
}

export function useCreateCodes() {
  const refresh = useRefreshCodes();
  return useMutation({
    mutationFn: (body: RedemptionCreate) => call(redemptionApi.create, { body }),
    meta: { quiet: true },
    onSuccess: refresh,
  });
}

export function useEditCode() {
  const refresh = useRefreshCodes();
  return useMutation({
    mutationFn: (body: RedemptionEdit) => call(redemptionApi.edit, { query: {}, body }),
    meta: { quiet: true },
    // The list follows the saved form: text that was typed in the meantime is compared with what was sent.
    onSuccess: () => void refresh(),
  });
}

/** Restores some at a time; returns the total. A retry after a failure continues from there. */
function restorationOf(ids: readonly number[]): () => Promise<number> {
  let count = 0;
  let from = 0;
  return async () => {
    while (from < ids.length) {
      count += await call(redemptionApi.batch, { body: { ids: ids.slice(from, from + codeSetLimit), action: 'restore' } });
      from += codeSetLimit;
    }
    return count;
  };
}

function useRefreshCodes(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['redemptions'] });
}
