import { useQuery } from '@tanstack/react-query';
import type { Member, UsagePart } from '#shared/organisations.ts';
import { usageQuery } from './queries.ts';

/** Quota of this month that is in the sum of the organisation and not in those of its members: of service accounts and former members. */
export function useUsageOfOthers(organisationId: number, members: readonly Member[] | undefined): number {
  const readsUsage = members?.some(({ used_quota: used }) => used !== undefined) === true;
  const parts = useQuery({ ...usageQuery(organisationId, { by: 'member' }), enabled: readsUsage }).data;
  return parts === undefined || members === undefined ? 0 : usageOfOthers(parts, members);
}

export function usageOfOthers(parts: readonly UsagePart[], members: readonly Pick<Member, 'user_id'>[]): number {
  const listed = new Set(members.map(({ user_id: id }) => String(id)));
  return parts.reduce((sum, { id, quota }) => (listed.has(id) ? sum : sum + quota), 0);
}
