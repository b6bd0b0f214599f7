import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { groupsQuery } from '#pwa/api/groups.ts';
import { EditLabel } from '#pwa/ui/form/edit-label.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { BalanceField } from './balance-field.tsx';
import styles from './user-panel.module.css';
import type { EditedUser } from './use-user-form.ts';

export function UserFields({ edited: { form, base } }: { edited: EditedUser }) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery);
  const label = (field: 'username' | 'display_name' | 'group'): ReactNode => (
    <EditLabel was={form.values[field] === base[field] ? undefined : base[field]}>{t(`users.field.${field}`)}</EditLabel>
  );
  return (
    <>
      <div className={styles.two}>
        <TextInput
          label={label('username')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <TextInput label={label('display_name')} autoComplete="off" {...form.getInputProps('display_name')} />
      </div>
      <Select
        label={label('group')}
        // A group that is no longer offered stays.
        data={[...new Set([...(groups.data ?? []), base.group])]}
        {...form.getInputProps('group')}
      />
      <PasswordField
        label={t('users.field.new_password')}
        placeholder={t('users.field.new_password_hint')}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <BalanceField
        quota={base.quota}
        mode={form.values.mode}
        amount={form.values.amount}
        reason={form.values.reason}
        error={form.errors.amount}
        reasonError={form.errors.reason}
        onChange={(change) => form.setValues(change)}
      />
    </>
  );
}
