import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { usableGroupsQuery } from '#pwa/api/groups.ts';
import { usableModelsQuery } from '#pwa/api/usable-models.ts';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import type { PolicyValues } from './member-values.ts';

interface PolicyFieldsProps {
  value: PolicyValues;
  error?: React.ReactNode;
  onChange: (value: PolicyValues) => void;
}

const below = ['label', 'input', 'error', 'description'] as const;

/** What calls may do: each list narrows what is allowed, an empty one allows all. */
export function PolicyFields({ value, error, onChange }: PolicyFieldsProps) {
  const { t } = useTranslation();
  const models = useQuery(usableModelsQuery).data ?? [];
  const groups = Object.keys(useQuery(usableGroupsQuery).data ?? {}).filter((name) => name !== '');
  const set = (change: Partial<PolicyValues>): void => onChange({ ...value, ...change });
  return (
    <>
      <TagsInput
        label={t('organisations.policy.models')}
        placeholder={value.models.length === 0 ? t('organisations.policy.all_models') : ''}
        data={models}
        maxDropdownHeight={220}
        value={value.models}
        onChange={(names) => set({ models: names })}
      />
      <TagsInput
        label={t('organisations.policy.groups')}
        placeholder={value.groups.length === 0 ? t('organisations.policy.all_groups') : ''}
        data={groups}
        value={value.groups}
        onChange={(names) => set({ groups: names })}
      />
      <TagsInput
        label={t('organisations.policy.addresses')}
        description={t('organisations.policy.addresses_hint')}
        inputWrapperOrder={[...below]}
        placeholder={value.addresses.length === 0 ? t('organisations.policy.all_addresses') : ''}
        value={value.addresses}
        error={error}
        onChange={(names) => set({ addresses: names })}
      />
      <SwitchRow
        label={t('organisations.policy.stores_nothing')}
        description={t('organisations.policy.stores_nothing_hint')}
        checked={value.stores_nothing}
        onChange={(event) => set({ stores_nothing: event.currentTarget.checked })}
      />
      <p className={typography.note}>{t('organisations.policy.hint')}</p>
    </>
  );
}
