import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { teamsQuery } from '#pwa/api/organisations.ts';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import type { TokenForm } from './use-token-form.ts';

/** In an organisation: whether a new token belongs to its creator or to a service account, and to which team then. */
export function ServiceFields({ form, organisation }: { form: TokenForm; organisation: number }) {
  const { t } = useTranslation();
  const teams = useQuery(teamsQuery(organisation)).data ?? [];
  const { is_service: isService, team_id: team } = form.values;
  return (
    <>
      <SwitchRow
        label={t('tokens.form.service')}
        description={t('tokens.form.service_hint')}
        checked={isService}
        onChange={(event) => form.setFieldValue('is_service', event.currentTarget.checked)}
      />
      {isService && teams.length > 0 && (
        <Select
          label={t('tokens.form.team')}
          data={[{ value: '0', label: t('tokens.form.no_team') }, ...teams.map(({ id, name }) => ({ value: String(id), label: name }))]}
          value={String(team)}
          error={form.errors['team_id']}
          allowDeselect={false}
          onChange={(value) => form.setFieldValue('team_id', Number(value ?? 0))}
        />
      )}
    </>
  );
}
