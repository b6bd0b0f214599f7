import { Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { countedBy } from '#shared/limit-models.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { usableModelsQuery } from '#pwa/api/usable-models.ts';
import styles from './limits.module.css';

const below = ['label', 'input', 'error', 'description'] as const;

interface ModelsFieldProps {
  value: string[];
  error?: string | undefined;
  disabled?: boolean | undefined;
  onChange: (models: string[]) => void;
}

/** Models that a limit concerns. */
export function LimitedModelsField({ value, error, disabled = false, onChange }: ModelsFieldProps) {
  const { t } = useTranslation();
  const models = useQuery(usableModelsQuery);
  return (
    <TagsInput
      label={t('limits.form.models')}
      description={t('limits.form.models_hint')}
      inputWrapperOrder={[...below]}
      placeholder={value.length === 0 ? t('limits.form.all_models') : ''}
      data={models.data ?? []}
      value={value}
      error={error}
      disabled={disabled}
      maxDropdownHeight={220}
      onChange={onChange}
    />
  );
}

interface SiteScope {
  groups: string[];
  counted: (typeof countedBy)[number];
}

/** Callers that a limit of the site concerns, and whose calls are counted together. */
export function SiteScopeFields({
  groups,
  counted,
  disabled,
  onChange,
}: SiteScope & { disabled: boolean; onChange: (scope: Partial<SiteScope>) => void }) {
  const { t } = useTranslation();
  const known = useQuery(groupsQuery);
  return (
    <div className={styles.two}>
      <TagsInput
        label={t('limits.form.groups')}
        placeholder={groups.length === 0 ? t('limits.form.all_groups') : ''}
        data={known.data ?? []}
        value={groups}
        disabled={disabled}
        onChange={(names) => onChange({ groups: names })}
      />
      <Select
        label={t('limits.form.counted')}
        data={countedBy.map((value) => ({ value, label: t(`limits.counted.${value}`) }))}
        value={counted}
        disabled={disabled}
        allowDeselect={false}
        onChange={(value) => onChange({ counted: countedBy.find((one) => one === value) ?? 'user' })}
      />
    </div>
  );
}
