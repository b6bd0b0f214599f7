import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { BillAccountInput } from '#shared/bill-accounts.ts';
import { channelApi } from '#shared/channels.ts';
import { type BillMapping, type BillOverview, type BillRequestState, billApi } from '#shared/provider-bills.ts';
import { call } from '#pwa/api/call.ts';
import { type BillsSearch, daysOf } from './bills-search.ts';

const followMs = 2_000;
const idleMs = 60_000;
/** A large file takes its time. */
const uploadMs = 3_600_000;

export function isRunning(data: BillOverview | undefined): boolean {
  return data?.imports.some(({ state }) => state === 'running' || state === 'matching') === true;
}

export const billsQuery = queryOptions({
  queryKey: ['bills', 'overview'],
  queryFn: ({ signal }) => call(billApi.read, { signal }),
  meta: { offline: true },
  refetchInterval: ({ state }) => (isRunning(state.data) ? followMs : idleMs),
});

type DriftFilters = Pick<BillsSearch, 'period' | 'from' | 'to' | 'account' | 'by' | 'state'>;

export function driftFilters({ period, from, to, account, by, state }: BillsSearch): DriftFilters {
  return { period, from, to, account, by, state };
}

function driftValues({ account, by, state, ...period }: DriftFilters, now: number) {
  return { ...daysOf(period, now), account, by, state };
}

export const driftQuery = ({ by: _by, state: _state, ...filters }: DriftFilters) =>
  queryOptions({
    queryKey: ['bills', 'drift', filters],
    queryFn: ({ signal }) => call(billApi.drift, { query: driftValues(filters, Date.now()), signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

export const driftRowsQuery = (filters: DriftFilters, { page, size }: { page: number; size: number }) =>
  queryOptions({
    queryKey: ['bills', 'rows', filters, { page, size }],
    queryFn: ({ signal }) =>
      call(billApi.rows, { query: { ...driftValues(filters, Date.now()), p: String(page), page_size: String(size) }, signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

interface RequestFilters {
  account: number | undefined;
  state: BillRequestState;
}

export const billRequestsQuery = (filters: RequestFilters, { page, size }: { page: number; size: number }) =>
  queryOptions({
    queryKey: ['bills', 'requests', filters, { page, size }],
    queryFn: ({ signal }) => call(billApi.requests, { query: { ...filters, p: String(page), page_size: String(size) }, signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

/** Channels by name, for the form of an account. */
export const channelNamesQuery = queryOptions({
  queryKey: ['channels', 'names'],
  queryFn: async ({ signal }) =>
    (await call(channelApi.search, { query: { id_sort: true }, signal })).map(({ id, name }) => ({ id, name })),
});

/** Addresses of files, at a moment (milliseconds). */
export function rowsFile(filters: DriftFilters, now: number): string {
  return `${billApi.exportRows.path}?${queryText(driftValues(filters, now))}`;
}

export function requestsFile(filters: RequestFilters): string {
  return `${billApi.exportRequests.path}?${queryText({ ...filters })}`;
}

function queryText(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

/** Reads bills again when the work has ended. */
function useBillMutation<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, meta: { quiet: true }, onSettled: () => void client.invalidateQueries({ queryKey: ['bills'] }) });
}

export function useSaveAccount(id: number | undefined) {
  return useBillMutation((body: BillAccountInput) =>
    id === undefined ? call(billApi.create, { body }) : call(billApi.update, { params: { id: String(id) }, body }),
  );
}

export function useRemoveAccount() {
  return useBillMutation((id: number) => call(billApi.remove, { params: { id: String(id) } }));
}

export function useFetchBill() {
  return useBillMutation((id: number) => call(billApi.fetch, { params: { id: String(id) }, timeout: uploadMs }));
}

export interface Upload {
  account: number;
  file: File;
  /** Remembered first, and used. */
  mapping: BillMapping | undefined;
}

export function useUploadBill() {
  return useBillMutation(async ({ account, file, mapping }: Upload) => {
    if (mapping !== undefined) await call(billApi.saveMapping, { body: mapping });
    const query = { file_name: file.name, mapping: mapping?.name };
    return call(billApi.upload, { params: { id: String(account) }, query, bytes: file, timeout: uploadMs });
  });
}

export function useStopImport() {
  return useBillMutation((id: number) => call(billApi.stop, { params: { id: String(id) } }));
}

export function useRemoveMapping() {
  return useBillMutation((name: string) => call(billApi.removeMapping, { query: { name } }));
}
