import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type PriceOutcome, priceSyncApi } from '#shared/price-sync.ts';
import { call } from '#pwa/api/call.ts';
import { operatorTodoKey } from '#pwa/api/operator-todo-key.ts';
import { optionsQuery } from '#pwa/api/options.ts';

const key = ['price-updates'] as const;

export const priceUpdatesQuery = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => call(priceSyncApi.read, { signal }),
  meta: { offline: true },
});

export interface DecidedChange {
  model: string;
  revision: string;
}

/** `at`: unix seconds; undefined: now. */
export interface Decision {
  kind: 'apply' | 'dismiss';
  changes: readonly DecidedChange[];
  at?: number;
}

export function useRunSync() {
  return usePriceMutation(() => call(priceSyncApi.run));
}

export function useDecide() {
  return usePriceMutation(({ kind, changes, at }: Decision): Promise<PriceOutcome> =>
    kind === 'dismiss'
      ? call(priceSyncApi.dismiss, { body: { changes: [...changes] } })
      : call(priceSyncApi.apply, { body: { changes: [...changes], ...(at === undefined ? {} : { at }) } }),
  );
}

export function useWithdrawPlan() {
  return usePriceMutation((id: number) => call(priceSyncApi.withdraw, { params: { id: String(id) } }));
}

/** Prices are shown by the settings, the history and Home too. */
function usePriceMutation<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all(
        [key, optionsQuery.queryKey, ['price-history'], ['pricing'], operatorTodoKey].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
