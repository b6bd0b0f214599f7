import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { BodyOf } from '#shared/contract.ts';
import { organisationApi } from '#shared/organisations.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { newRequestName } from '#pwa/api/request-name.ts';
import { monthStart } from '#pwa/ui/local-days.ts';
import { memberRecord } from './member-values.ts';
import type { OrganisationSearch, UsageBy } from './organisation-search.ts';

/** All organisations of the site, for its administrators; pages from 1. */
export const allOrganisationsQuery = (page: number, size: number, keyword: string) =>
  queryOptions({
    queryKey: ['organisations', 'all', { page, size, keyword }],
    queryFn: ({ signal }) => call(organisationApi.listAll, { query: { p: page, page_size: size, keyword }, signal }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });

export const organisationQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisation', id],
    queryFn: ({ signal }) => call(organisationApi.read, { params: param(id), signal }),
    meta: { offline: true },
  });

export const invitesQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisation', id, 'invites'],
    queryFn: ({ signal }) => call(organisationApi.invites, { params: param(id), signal }),
    meta: { offline: true },
  });

export interface UsageQuestion {
  by: UsageBy;
  /** Id of whose calls: of a member (0: service accounts), of a team. */
  member?: number | undefined;
  team?: number | undefined;
  /** Unix seconds; undefined: the current month (UTC), until now. */
  from?: number | undefined;
  to?: number | undefined;
}

export const usageQuery = (id: number, { by, member, team, from, to }: UsageQuestion) =>
  queryOptions({
    queryKey: ['organisation', id, 'usage', { by, member, team, from, to }],
    queryFn: ({ signal }) =>
      call(organisationApi.usage, {
        params: param(id),
        query: { by, member_id: member, team_id: team, start_timestamp: from, end_timestamp: to },
        signal,
      }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });

/** The span that the address names. `now` in milliseconds. */
export function usageSpan({ period = 'this_month', from, to }: OrganisationSearch, now: number): Pick<UsageQuestion, 'from' | 'to'> {
  if (period === 'custom') return { from, to };
  if (period === 'last_month') return { from: monthStart(now, -1), to: monthStart(now) };
  const days = { week: 7, year: 365 };
  const start = period === 'this_month' ? monthStart(now) : Math.floor(now / 900_000) * 900 - days[period] * 86_400;
  return { from: start };
}

/** Invitation of a link. Not stored: its token makes a member. */
export const openInviteQuery = (token: string) =>
  queryOptions({
    queryKey: ['organisation-invite', token],
    queryFn: ({ signal }) => call(organisationApi.openInvite, { body: { token }, signal }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });

export function useJoin(token: string) {
  return useChange(() => call(organisationApi.join, { body: { token } }));
}

export function useFound() {
  const ref = useNamed();
  return useChange((name: string) => call(organisationApi.create, { body: { name, ref: ref(name) } }));
}

export function useEditOrganisation(id: number) {
  return useChange((body: BodyOf<typeof organisationApi.edit>) => call(organisationApi.edit, { params: param(id), body }));
}

export function useManageOrganisation(id: number) {
  return useChange((body: BodyOf<typeof organisationApi.manage>) => call(organisationApi.manage, { params: param(id), body }));
}

export function useRemoveOrganisation(id: number) {
  return useChange(() => call(organisationApi.remove, { params: param(id) }));
}

/** Moves quota between the user's balance and the organisation's. A response may be lost: the same move again moves nothing. */
export function useFund(id: number) {
  const ref = useNamed();
  return useChange((move: { amount: number; direction: 'in' | 'out' }) =>
    call(organisationApi.fund, { params: param(id), body: { ...move, ref: ref(JSON.stringify(move)) } }),
  );
}

export function useEditMember(id: number) {
  return useChange(async ({ id: user, ...body }: BodyOf<typeof organisationApi.editMember> & { id: number }) =>
    memberRecord(await call(organisationApi.editMember, { params: { id: String(id), user: String(user) }, body })),
  );
}

export function useEditMembers(id: number) {
  return useChange((body: BodyOf<typeof organisationApi.editMembers>) => call(organisationApi.editMembers, { params: param(id), body }));
}

/** @returns a mutation; `heir` 0: the keys become those of service accounts */
export function useRemoveMember(id: number) {
  return useChange(({ userId, heir, keys }: { userId: number; heir: number; keys: 'disable' | 'keep' }) =>
    call(organisationApi.removeMember, {
      params: { id: String(id), user: String(userId) },
      query: { keys, ...(heir === 0 ? {} : { hand_over_to: String(heir) }) },
    }),
  );
}

export function useCreateTeam(id: number) {
  return useChange((body: BodyOf<typeof organisationApi.createTeam>) => call(organisationApi.createTeam, { params: param(id), body }));
}

export function useEditTeam(id: number) {
  return useChange(({ id: team, ...body }: BodyOf<typeof organisationApi.editTeam> & { id: number }) =>
    call(organisationApi.editTeam, { params: { id: String(id), team: String(team) }, body }),
  );
}

export function useRemoveTeam(id: number) {
  return useChange((team: number) => call(organisationApi.removeTeam, { params: { id: String(id), team: String(team) } }), false);
}

export function useInvite(id: number) {
  return useChange((body: BodyOf<typeof organisationApi.invite>) => call(organisationApi.invite, { params: param(id), body }));
}

export function useWithdrawInvite(id: number) {
  return useChange((invite: number) => call(organisationApi.withdraw, { params: { id: String(id), invite: String(invite) } }), false);
}

export function useScimToken(id: number) {
  return useChange(() => call(organisationApi.newScimToken, { params: param(id) }));
}

export function useEndScimToken(id: number) {
  return useChange(() => call(organisationApi.endScimToken, { params: param(id) }), false);
}

/** A change after which everything of organisations is read again. @param isQuiet the screen shows its failure itself */
function useChange<Input, Made>(change: (input: Input) => Promise<Made>, isQuiet = true) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    meta: { quiet: isQuiet },
    onSettled: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['organisation'] }),
        client.invalidateQueries({ queryKey: ['organisations'] }),
        client.invalidateQueries({ queryKey: ['self'] }),
        client.invalidateQueries({ queryKey: ['limits'] }),
      ]);
    },
  });
}

/** Gives a change the same name until the server has decided it. */
function useNamed(): (change: string) => string {
  const named = useRef({ change: '', name: '' });
  return (change) => {
    if (named.current.change !== change || named.current.name === '') named.current = { change, name: newRequestName() };
    return named.current.name;
  };
}

/** Text of a refusal that stands in the form. */
export function refusalOf(error: Error | null): string | undefined {
  return error === null ? undefined : failureOf(error).message;
}

function param(id: number): { id: string } {
  return { id: String(id) };
}
