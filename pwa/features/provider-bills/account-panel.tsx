import { Button, Select, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { type BillAccount, BillProvider, usageApis, zoneOf } from '#shared/bill-accounts.ts';
import type { BillMapping } from '#shared/provider-bills.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { focusFirstError, showOnField } from '#pwa/ui/form/field-errors.ts';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { SecretField } from '#pwa/ui/form/secret-field.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { type AccountValues, accountBody, accountValues, channelLabel } from './account-values.ts';
import { FetchMark } from './fetch-mark.tsx';
import styles from './bills.module.css';
import { channelNamesQuery, useFetchBill, useRemoveAccount, useRemoveMapping, useSaveAccount } from './queries.ts';

const formId = 'bill-account';

interface AccountPanelProps {
  /** Undefined: a new one. */
  account: BillAccount | undefined;
  mappings: readonly BillMapping[];
  isRoot: boolean;
  onClose: () => void;
  /** Opens the import of a file. */
  onImport: (id: number) => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** An account at a provider: its channels, terms and key. Super administrators edit it; others import and request. */
export function AccountPanel({ account, mappings, isRoot, onClose, onImport, ...ways }: AccountPanelProps) {
  const { t } = useTranslation();
  const [isSaved, setSaved] = useState(false);
  const save = useSaveAccount(account?.id);
  const form = useForm<AccountValues>({ initialValues: accountValues(account) });
  const handleSubmit = form.onSubmit((values) =>
    save.mutate(accountBody(values, account), {
      onSuccess: () => {
        // The edit is saved before the panel closes: nothing is lost.
        flushSync(() => setSaved(true));
        onClose();
      },
      onError: (error) => {
        showOnField(form, failureOf(error));
        focusFirstError(formId);
      },
    }),
  );
  return (
    <SidePanel
      {...ways}
      title={account?.name ?? t('bills.action.add_account')}
      note={account === undefined ? undefined : `#${account.id}`}
      takesFocus={account === undefined}
      isTall
      onClose={onClose}
      foot={
        isRoot && (
          <>
            {account !== undefined && <RemoveAccount account={account} onRemoved={onClose} />}
            <OnlineButton variant="filled" type="submit" form={formId} loading={save.isPending} label={t('common.action.save')} />
          </>
        )
      }
    >
      <div className={`${layout.stackLg} ${styles.panel}`}>
        {account !== undefined && <AccountActions account={account} onImport={onImport} />}
        <form id={formId} noValidate onSubmit={handleSubmit}>
          <fieldset disabled={!isRoot} className={`${layout.stackMd} ${styles.plain}`}>
            <AccountFields form={form} account={account} />
            <Refusal text={refusalText(save.error, form)} />
          </fieldset>
        </form>
        {account?.provider === 'other' && <Mappings mappings={mappings} />}
      </div>
      <UnsavedEdits when={form.isDirty() && !isSaved} />
    </SidePanel>
  );
}

/** Deletes an account after a question: its bills are gone with it. */
function RemoveAccount({ account: { id, name }, onRemoved }: { account: BillAccount; onRemoved: () => void }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveAccount();
  return (
    <>
      <OnlineButton variant="subtle" data-danger onClick={() => setAsking(true)} label={t('bills.action.remove_account')} />
      <ConfirmDialog
        opened={isAsking}
        isDanger
        title={t('bills.account.remove_confirm', { name })}
        text={t('bills.account.remove_text')}
        confirmLabel={t('bills.action.remove_account')}
        onConfirm={async () => {
          await remove.mutateAsync(id);
          onRemoved();
        }}
        onCancel={() => setAsking(false)}
      />
    </>
  );
}

function AccountActions({ account, onImport }: { account: BillAccount; onImport: (id: number) => void }) {
  const { t } = useTranslation();
  const fetch = useFetchBill();
  const failure = account.fetch?.failure;
  return (
    <div className={layout.stackSm}>
      {usageApis[account.provider] !== undefined && <FetchMark account={account} />}
      {failure !== undefined && failure.text !== '' && <p className={`${typography.secondary} ${styles.break}`}>{failure.text}</p>}
      <span className={layout.wrap}>
        <OnlineButton onClick={() => onImport(account.id)} label={t('bills.action.upload')} />
        {account.has_key && (
          <OnlineButton loading={fetch.isPending} onClick={() => fetch.mutate(account.id)} label={t('bills.action.fetch')} />
        )}
      </span>
      <Refusal text={fetch.error === null ? undefined : failureOf(fetch.error).message} />
    </div>
  );
}

interface AccountFieldsProps {
  form: ReturnType<typeof useForm<AccountValues>>;
  account: BillAccount | undefined;
}

function AccountFields({ form, account }: AccountFieldsProps) {
  const { t } = useTranslation();
  const channels = useQuery(channelNamesQuery).data ?? [];
  const { provider, currency } = form.values;
  return (
    <>
      <TextInput label={t('bills.account.name')} maxLength={80} {...form.getInputProps('name')} />
      <Select
        label={t('bills.column.provider')}
        data={BillProvider.options.map((value) => ({ value, label: t(`bills.provider.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps('provider')}
      />
      <TagsInput
        label={t('bills.column.channels')}
        description={t('bills.account.channels_hint')}
        data={channels.map(channelLabel)}
        {...form.getInputProps('channels')}
        error={form.errors['channel_ids']}
      />
      {zoneOf[provider] === undefined && (
        <TextInput label={t('bills.account.zone')} description={t('bills.account.zone_hint')} {...form.getInputProps('zone')} />
      )}
      <span className={styles.pair}>
        <TextInput label={t('bills.account.currency')} maxLength={3} {...form.getInputProps('currency')} />
        {currency.toUpperCase() !== 'USD' && (
          <TextInput label={t('bills.account.rate')} inputMode="decimal" {...form.getInputProps('rate')} />
        )}
        <TextInput label={t('bills.account.factor')} inputMode="decimal" {...form.getInputProps('factor')} />
      </span>
      <p className={typography.muted}>{t('bills.account.factor_hint')}</p>
      {usageApis[provider] !== undefined && <ApiFields form={form} account={account} />}
      <TextArea
        label={t('bills.account.models')}
        description={t('bills.account.models_hint')}
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoCapitalize="none"
        {...form.getInputProps('models')}
      />
    </>
  );
}

/** Key and origin of the provider's usage API. */
function ApiFields({ form, account }: AccountFieldsProps) {
  const { t } = useTranslation();
  const { provider } = form.values;
  return (
    <>
      <SecretField
        label={t('bills.account.key')}
        description={t(`bills.key.${provider}`)}
        isSet={account?.has_key === true && account.provider === provider}
        value={form.values.key}
        onChange={(key) => form.setFieldValue('key', key)}
        error={form.errors['key']}
      />
      <TextInput
        label={t('bills.account.base_url')}
        placeholder={usageApis[provider] ?? ''}
        inputMode="url"
        {...form.getInputProps('base_url')}
      />
    </>
  );
}

function Mappings({ mappings }: { mappings: readonly BillMapping[] }) {
  const { t } = useTranslation();
  const remove = useRemoveMapping();
  if (mappings.length === 0) return null;
  return (
    <section className={layout.stackSm}>
      <h3 className={typography.heading}>{t('bills.account.mappings')}</h3>
      {mappings.map(({ name, columns }) => (
        <div key={name} className={`${layout.row} ${layout.spread}`}>
          <span className={styles.break}>
            {name} <small>{Object.values(columns).join(', ')}</small>
          </span>
          <Button
            variant="subtle"
            disabled={remove.isPending}
            aria-label={t('bills.action.forget', { name })}
            onClick={() => remove.mutate(name)}
          >
            {t('common.action.delete')}
          </Button>
        </div>
      ))}
    </section>
  );
}
