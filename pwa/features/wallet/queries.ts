import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type EntryKind, type OrderStatus, walletApi } from '#shared/wallet.ts';
import { call } from '#pwa/api/call.ts';

/** Milliseconds between two looks at an order that is not paid, and at one that is being credited. */
export const pollPending = 3000;
const pollPaid = 1000;
export const historySize = 20;

/** What topping up costs, and orders that may still be paid. */
export const walletQuery = queryOptions({
  queryKey: ['wallet', 'info'],
  queryFn: ({ signal }) => call(walletApi.info, { signal }),
  meta: { offline: true },
});

/** The price of an amount, by the server. */
export const amountQuery = (amount: number) =>
  queryOptions({
    queryKey: ['wallet', 'amount', amount],
    queryFn: ({ signal }) => call(walletApi.amount, { body: { amount }, signal }),
    staleTime: 30_000,
    gcTime: 60_000,
    retry: false,
  });

/** An order, polled until it is settled; a hidden page does not poll. */
export const orderQuery = (tradeNo: string) =>
  queryOptions({
    queryKey: ['wallet', 'order', tradeNo],
    queryFn: ({ signal }) => call(walletApi.order, { params: { trade_no: tradeNo }, signal }),
    staleTime: 0,
    gcTime: 60_000,
    refetchInterval: ({ state }) => pollInterval(state.data?.order.status),
  });

export function pollInterval(status: OrderStatus | undefined): number | false {
  if (status === 'pending') return pollPending;
  return status === 'paid' ? pollPaid : false;
}

/** What changed the balance, newest first; pages from 1. */
export const historyQuery = (page: number, kind: EntryKind | undefined) =>
  queryOptions({
    queryKey: ['wallet-history', { page, kind }],
    queryFn: ({ signal }) => call(walletApi.history, { query: { p: page, page_size: historySize, kind }, signal }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });
