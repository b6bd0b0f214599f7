import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountApi } from '#shared/account.ts';
import { displayNameProblem } from '#shared/account-rules.ts';
import { displayNameLimit, type User } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './personal.module.css';

export function NameForm({ user }: { user: User }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [name, setName] = useState(user.display_name);
  const [error, setError] = useState<string>();
  const save = useMutation({
    mutationFn: (display_name: string) => call(accountApi.edit, { body: { display_name } }),
    meta: { quiet: true },
    onSuccess: async () => {
      toastSuccess(t('personal.name.saved'));
      await queryClient.invalidateQueries(selfQuery);
    },
    onError: (thrown) => {
      const failure = failureOf(thrown);
      if (failure.field === 'display_name') setError(failure.message);
      else toastFailure(failure);
    },
  });

  function handleSave(): void {
    const wanted = name.trim();
    const problem = displayNameProblem(wanted);
    if (wanted === '') setError(t('personal.name.required'));
    else if (problem === 'display_name_long') setError(t('personal.name.long', { limit: displayNameLimit }));
    else if (problem !== undefined) setError(t('personal.name.characters'));
    else save.mutate(wanted);
  }
  const label = t('personal.name.save');
  return (
    <Block title={t('personal.name.title')}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          handleSave();
        }}
      >
        <TextInput
          label={t('personal.name.label')}
          description={t('personal.name.hint', { limit: displayNameLimit })}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="nickname"
          value={name}
          error={error}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setError(undefined);
          }}
        />
        <OnlineButton type="submit" loading={save.isPending} label={label} />
      </form>
    </Block>
  );
}
