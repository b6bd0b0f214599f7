import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  type Redemption,
  type RedemptionAction,
  type RedemptionCreate,
  type RedemptionEdit,
  redemptionApi,
  RedemptionStatus,
} from '#shared/redemptions.ts';
import { call } from '#pwa/api/call.ts';

/** Enables what is disabled and disables what is not used. */
export function useToggleCode() {
  const refresh = useRefreshCodes();
  return useMutation({
    mutationFn: ({ id, status }: Pick<Redemption, 'id' | 'status'>) =>
      call(redemptionApi.edit, {
        query: { status_only: 'true' },
        body: { id, status: status === RedemptionStatus.disabled ? RedemptionStatus.unused : RedemptionStatus.disabled },
      }),
    onSettled: refresh,
  });
}

/** Answers how many it was. */
export function useChangeCodes() {
  const refresh = useRefreshCodes();
  return useMutation({
    mutationFn: (body: { ids: number[]; action: RedemptionAction }) => call(redemptionApi.batch, { body }),
    onSettled: refresh,
  });
}

export function useRemoveUsedCodes() {
  const refresh = useRefreshCodes();
  return useMutation({ mutationFn: () => call(redemptionApi.removeUsed), onSettled: refresh });
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
    onSuccess: refresh,
  });
}

function useRefreshCodes(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['redemptions'] });
}
