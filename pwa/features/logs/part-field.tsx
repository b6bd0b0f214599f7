import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { actingId } from '#pwa/api/acting.ts';
import { heirsQuery, teamsQuery } from '#pwa/api/organisations.ts';
import { FilterSelect } from '#pwa/ui/list/filter-bar.tsx';

interface PartFieldProps {
  of: 'member' | 'team';
  label: string;
  /** Id; '': not set. */
  value: string;
  onChange: (value: string) => void;
}

/** Members and teams of the organisation on whose behalf the user acts. */
export function PartField({ of, label, value, onChange }: PartFieldProps) {
  const { t } = useTranslation();
  const id = actingId();
  const members = useQuery({ ...heirsQuery(id), enabled: of === 'member' }).data?.items ?? [];
  const teams = useQuery({ ...teamsQuery(id), enabled: of === 'team' }).data ?? [];
  const options =
    of === 'team'
      ? teams.map((team) => ({ value: String(team.id), label: team.name }))
      : [
          ...members.map((member) => ({ value: String(member.user_id), label: member.display_name || member.username })),
          { value: '0', label: t('logs.filter.service') },
        ];
  // A member who has left stays choosable while the calls are listed.
  const offered = value === '' || options.some((option) => option.value === value) ? options : [{ value, label: `#${value}` }, ...options];
  return <FilterSelect label={label} value={value} options={offered} onChange={onChange} />;
}
