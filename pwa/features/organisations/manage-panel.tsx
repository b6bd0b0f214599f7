import { Autocomplete, NumberInput, Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Organisation } from '#shared/organisations.ts';
import { UserStatus } from '#shared/user.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { refusalOf, useManageOrganisation } from './queries.ts';

interface ManagePanelProps {
  organisation: Organisation;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

const formId = 'manage-organisation';
const domainRoles = ['developer', 'billing', 'reader'] as const;

/** What administrators of the site decide about an organisation. */
export function ManagePanel({ organisation, ...ways }: ManagePanelProps) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery).data ?? [];
  const manage = useManageOrganisation(organisation.id);
  const [values, setValues] = useState<ManageValues>({ ...organisation, owner: '' });
  const { group, status, domains, domain_role: domainRole, owner } = values;
  const isDirty =
    group !== organisation.group ||
    status !== organisation.status ||
    domains.join() !== organisation.domains.join() ||
    domainRole !== organisation.domain_role ||
    owner !== '';

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    if (!isDirty || manage.isPending) return;
    manage.mutate(
      {
        ...(group === organisation.group ? {} : { group }),
        ...(status === organisation.status ? {} : { status }),
        ...(domains.join() === organisation.domains.join() ? {} : { domains }),
        ...(domainRoles.some((role) => role === domainRole) ? { domain_role: domainRoles.find((role) => role === domainRole) } : {}),
        ...(owner === '' ? {} : { owner_id: owner }),
      },
      { onSuccess: (stored) => setValues({ ...stored, owner: '' }) },
    );
  }
  return (
    <SidePanel
      {...ways}
      title={<bdi>{organisation.name}</bdi>}
      note={`#${organisation.id}`}
      foot={
        <OnlineButton
          variant="filled"
          type="submit"
          form={formId}
          loading={manage.isPending}
          disabled={!isDirty}
          label={t('common.action.save')}
        />
      }
    >
      <form id={formId} className={layout.stackLg} noValidate onSubmit={handleSubmit}>
        <Figures organisation={organisation} />
        <ManageFields values={values} groups={groups} onChange={(change) => setValues({ ...values, ...change })} />
        <Refusal text={refusalOf(manage.error)} />
      </form>
      <UnsavedEdits when={isDirty} />
    </SidePanel>
  );
}

interface ManageValues extends Pick<Organisation, 'group' | 'status' | 'domains' | 'domain_role'> {
  owner: number | '';
}

interface ManageFieldsProps {
  values: ManageValues;
  groups: string[];
  onChange: (change: Partial<ManageValues>) => void;
}

function ManageFields({ values: { group, status, domains, domain_role: domainRole, owner }, groups, onChange: set }: ManageFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <SwitchRow
        label={t('organisations.manage.active')}
        description={t('organisations.manage.active_hint')}
        checked={status === UserStatus.active}
        onChange={(event) => set({ status: event.currentTarget.checked ? UserStatus.active : UserStatus.banned })}
      />
      <Autocomplete label={t('organisations.column.group')} data={groups} value={group} onChange={(name) => set({ group: name })} />
      <TagsInput
        label={t('organisations.column.domains')}
        description={t('organisations.manage.domains_hint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        placeholder={domains.length === 0 ? 'example.com' : ''}
        value={domains}
        onChange={(list) => set({ domains: list.map((domain) => domain.trim().toLowerCase()) })}
      />
      {domains.length > 0 && (
        <Select
          label={t('organisations.manage.domain_role')}
          data={domainRoles.map((value) => ({ value, label: t(`acting.role.${value}`) }))}
          value={domainRole}
          allowDeselect={false}
          onChange={(value) => set({ domain_role: domainRoles.find((role) => role === value) ?? domainRole })}
        />
      )}
      <NumberInput
        label={t('organisations.manage.owner')}
        description={t('organisations.manage.owner_hint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        min={1}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={owner}
        onChange={(value) => set({ owner: typeof value === 'number' ? value : '' })}
      />
    </>
  );
}

function Figures({ organisation }: Pick<ManagePanelProps, 'organisation'>) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <SummaryList
      items={[
        { name: t('organisations.column.members'), value: format.count(organisation.members) },
        { name: t('organisations.column.tokens'), value: format.count(organisation.tokens) },
        { name: t('organisations.column.balance'), value: format.quota(organisation.quota ?? 0) },
        { name: t('organisations.column.used'), value: format.quota(organisation.used_quota ?? 0) },
        { name: t('organisations.column.created'), value: format.dateTime(organisation.created_time) },
      ]}
    />
  );
}
