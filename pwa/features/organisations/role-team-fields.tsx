import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { mayChangeRole, type OrganisationRole, organisationRoles } from '#shared/organisation-roles.ts';
import type { Team } from '#shared/organisations.ts';

interface RoleSelectProps {
  /** Of the reader, who gives no role above it. */
  actor: OrganisationRole;
  /** Role of the member now; absent: a new one. */
  from?: OrganisationRole;
  value: OrganisationRole | '';
  error?: ReactNode;
  /** What no choice means; absent: a choice is required. */
  none?: string;
  onChange: (role: OrganisationRole | '') => void;
}

export function RoleSelect({ actor, from, value, error, none, onChange }: RoleSelectProps) {
  const { t } = useTranslation();
  const offered = organisationRoles.filter((role) => mayChangeRole(actor, from ?? role, role));
  return (
    <Select
      label={t('organisations.column.role')}
      description={value === '' ? undefined : t(`organisations.role_hint.${value}`)}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      data={offered.map((role) => ({ value: role, label: t(`acting.role.${role}`) }))}
      value={value === '' ? null : value}
      error={error}
      placeholder={none}
      clearable={none !== undefined}
      allowDeselect={none !== undefined}
      onChange={(chosen) => onChange(organisationRoles.find((role) => role === chosen) ?? '')}
    />
  );
}

interface TeamSelectProps {
  teams: readonly Team[];
  /** 0: none. Undefined: no choice. */
  value: number | undefined;
  /** What no choice means; absent: a choice is required. */
  none?: string;
  onChange: (team: number | undefined) => void;
}

export function TeamSelect({ teams, value, none, onChange }: TeamSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={t('organisations.column.team')}
      data={[
        { value: '0', label: t('organisations.member.no_team') },
        ...teams.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      value={value === undefined ? null : String(value)}
      placeholder={none}
      clearable={none !== undefined}
      allowDeselect={none !== undefined}
      onChange={(chosen) => onChange(chosen === null ? undefined : Number(chosen))}
    />
  );
}
