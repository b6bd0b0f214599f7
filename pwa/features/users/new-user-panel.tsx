import { Button, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { passwordLimits, usernameLimit } from '#shared/user.ts';
import { userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { focusFirstError, problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import styles from './user-panel.module.css';
import { userProblemText } from './user-problem-text.ts';
import { type NewUserValues, newUserBody, newUserProblems, usualGroup } from './user-values.ts';

const formId = 'new-user-form';
const empty: NewUserValues = { username: '', display_name: '', password: '', group: usualGroup, quota: '' };

export function NewUserPanel({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const groups = useQuery(groupsQuery);
  const { form, submit, isPending, isCreated } = useNewUserForm(onCreated);
  return (
    <SidePanel
      title={t('users.action.add')}
      onClose={onClose}
      onSave={() => {
        if (isOnline) submit();
      }}
      takesFocus
      foot={
        <>
          <Button variant="subtle" onClick={onClose}>
            {t('common.action.cancel')}
          </Button>
          <OnlineButton variant="filled" type="submit" form={formId} loading={isPending} label={t('users.action.create')} />
        </>
      }
    >
      <UnsavedEdits when={form.isDirty() && !isCreated} />
      <form id={formId} noValidate className={styles.newForm} onSubmit={submit}>
        <TextInput
          label={t('users.field.username')}
          placeholder={t('users.field.username_hint', { limit: usernameLimit })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <TextInput
          label={t('users.field.display_name')}
          placeholder={t('users.field.display_name_hint')}
          autoComplete="off"
          {...form.getInputProps('display_name')}
        />
        <PasswordField
          label={t('users.field.password')}
          placeholder={t('users.field.password_hint', { min: passwordLimits.min })}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Select
          label={t('users.field.group')}
          data={[...new Set([...(groups.data ?? []), usualGroup])]}
          allowDeselect={false}
          {...form.getInputProps('group')}
        />
        <QuotaInput
          label={t('users.credit.opening')}
          description={form.values.quota === '' ? t('users.credit.opening_hint') : undefined}
          value={form.values.quota}
          onChange={(units) => form.setFieldValue('quota', units)}
          error={form.errors['quota']}
        />
      </form>
    </SidePanel>
  );
}

function useNewUserForm(onCreated: () => void) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isCreated, setCreated] = useState(false);
  const form = useForm({
    initialValues: empty,
    validate: (values) => problemTexts(newUserProblems(values), (problem) => userProblemText(t, problem)),
  });
  const create = useMutation({
    mutationFn: (values: NewUserValues) => call(userApi.create, { body: newUserBody(values) }),
    meta: { quiet: true },
    onSuccess: async () => {
      // The guard has to know before the panel closes.
      flushSync(() => setCreated(true));
      toastSuccess(t('users.created'));
      onCreated();
      await queryClient.invalidateQueries({ queryKey: ['users'] });
    },
    onError: (error) => {
      const failure = failureOf(error);
      const field = failure.code === 'username_taken' ? 'username' : failure.field;
      if (!showOnField(form, { message: failure.message, field })) toastFailure(failure);
    },
  });
  const submit = form.onSubmit(
    (values) => create.mutate(values),
    () => focusFirstError(formId),
  );
  return { form, submit, isPending: create.isPending, isCreated };
}
