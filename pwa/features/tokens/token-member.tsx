import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { useActing } from '#pwa/api/acting.ts';
import { heirsQuery, teamsQuery } from '#pwa/api/organisations.ts';

/** The member whose token it is, or the team of its service account. */
export function TokenMember({ token: { member_id: member = 0, team_id: team = 0 } }: { token: Token }) {
  const { t } = useTranslation();
  const organisation = useActing()?.id ?? 0;
  const members = useQuery({ ...heirsQuery(organisation), enabled: organisation !== 0 && member !== 0 }).data?.items;
  const teams = useQuery({ ...teamsQuery(organisation), enabled: organisation !== 0 && team !== 0 }).data;
  if (member === 0) {
    const name = teams?.find(({ id }) => id === team)?.name;
    return name === undefined ? t('tokens.service') : t('tokens.service_of', { team: name });
  }
  const found = members?.find(({ user_id: id }) => id === member);
  return <bdi>{found === undefined ? `#${member}` : found.display_name || found.username}</bdi>;
}
