import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Delivery, invitationApi, type InvitationLine } from '#shared/invitations.ts';
import { call } from '#pwa/api/call.ts';
import { pageAddress } from '#pwa/ui/base-path.ts';

/** Pages from 1. */
export const invitationsQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: ['invitations', { page, size }],
    queryFn: ({ signal }) => call(invitationApi.list, { query: { p: String(page), page_size: String(size) }, signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

/** Invitation of a link. Not stored: its token opens an account. */
export const openInvitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call(invitationApi.open, { body: { token }, signal }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });

export interface PeopleList {
  lines: InvitationLine[];
  delivery: Delivery;
}

export function useCheckPeople() {
  return useMutation({ mutationFn: (body: PeopleList) => call(invitationApi.check, { body }), meta: { quiet: true } });
}

export function useInvitePeople() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PeopleList & { valid_seconds: number; creates_accounts: boolean }) => call(invitationApi.create, { body }),
    meta: { quiet: true },
    onSettled: () => void refresh(client),
  });
}

export function useSendAgain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: number; delivery: Delivery; valid_seconds: number }) =>
      call(invitationApi.send, { params: { id: String(id) }, body }),
    meta: { quiet: true },
    onSettled: () => void refresh(client),
  });
}

export function useWithdraw() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(invitationApi.withdraw, { params: { id: String(id) } }),
    onSettled: () => void refresh(client),
  });
}

/** Accounts may have been made. */
function refresh(client: ReturnType<typeof useQueryClient>): Promise<unknown> {
  return Promise.all([client.invalidateQueries({ queryKey: ['invitations'] }), client.invalidateQueries({ queryKey: ['users'] })]);
}

/** The address that a person is given. */
export function linkOf(token: string): string {
  return `${pageAddress()}/invitation#${token}`;
}
