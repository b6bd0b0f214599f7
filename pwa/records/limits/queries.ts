import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type BudgetState, budgetApi } from '#shared/budget-states.ts';
import { rateLimitApi } from '#shared/rate-limit-states.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { newRequestName } from '#pwa/api/request-name.ts';

/** Whose limits: a token's, a user's, or, empty, the reader's. */
export interface LimitedOwner {
  token_id?: string;
  user_id?: string;
  /** On behalf of an organisation: user id of a member, and a team. */
  member_id?: string;
  team_id?: string;
}

const followMs = 15_000;

/** Budgets that bind, and what is left of them. */
export const budgetStatesQuery = (owner: LimitedOwner) =>
  queryOptions({
    queryKey: ['limits', 'budgets', owner],
    queryFn: ({ signal }) => call(budgetApi.state, { query: owner, signal }),
    meta: { offline: true },
    staleTime: 0,
    refetchInterval: followMs,
  });

/** Rate limits that bind. Not stored on the device: they are about the moment. */
export const rateStatesQuery = (owner: LimitedOwner) =>
  queryOptions({
    queryKey: ['limits', 'rates', owner],
    queryFn: ({ signal }) => call(rateLimitApi.state, { query: owner, signal }),
    staleTime: 0,
    refetchInterval: followMs,
  });

export const periodStep = 6;

/** Periods of a budget until now, newest first. */
export const budgetPeriodsQuery = (key: string, size: number) =>
  queryOptions({
    queryKey: ['limits', 'periods', key, size],
    queryFn: ({ signal }) => call(budgetApi.periods, { query: { key, page_size: String(size) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Adds to a budget until its period ends. */
export function useRaiseBudget() {
  return useNamedChange(({ key, amount }: { key: string; amount: number }, ref) => call(budgetApi.raise, { body: { key, amount, ref } }));
}

/** Ends the period of a budget. */
export function useResetBudget() {
  return useNamedChange(({ key }: { key: string }, ref) => call(budgetApi.reset, { body: { key, ref } }));
}

/** A change with the same name until its outcome is known: a response may be lost. */
function useNamedChange<Change>(send: (change: Change, ref: string) => Promise<BudgetState>) {
  const client = useQueryClient();
  const named = useRef({ text: '', ref: '' });
  return useMutation({
    mutationFn: (change: Change) => {
      const text = JSON.stringify(change);
      if (named.current.text !== text) named.current = { text, ref: newRequestName() };
      return send(change, named.current.ref);
    },
    meta: { quiet: true },
    onSuccess: () => {
      named.current = { text: '', ref: '' };
    },
    onError: (error) => {
      const { status, code } = failureOf(error);
      // The server refused it for what it is: sent once more it is another one.
      if (status === 200 && code !== 'bad_answer') named.current = { text: '', ref: '' };
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['limits'] });
      await client.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
}
