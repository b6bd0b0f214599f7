import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountApi } from '#shared/account.ts';
import { displayNameProblem } from '#shared/account-rules.ts';
import { displayNameLimit, type User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { ownNameKey, ownNameState } from '#pwa/offline/edits/own-setting.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { queueEdit, useOutbox } from '#pwa/offline/outbox.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { toastFailure, toastNote, toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './personal.module.css';

/** The shown name. Without a connection it waits in the outbox. */
export function NameForm({ user }: { user: User }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const queued = useOutbox().find(({ optionKey }) => optionKey === ownNameKey);
  const [name, setName] = useState(queued?.mine ?? user.display_name);
  const [error, setError] = useState<string>();
  const saving = useSaveName(user, { isQueued: queued !== undefined, onRefused: setError });

  function handleSave(): void {
    const wanted = name.trim();
    const problem = displayNameProblem(wanted);
    if (wanted === '') setError(t('personal.name.required'));
    else if (problem === 'display_name_long') setError(t('personal.name.long', { limit: displayNameLimit }));
    else if (problem !== undefined) setError(t('personal.name.characters'));
    else saving.save(wanted);
  }
  const aside = queued !== undefined && (
    <StatusMark status={queued.state === 'conflict' ? 'conflict' : 'waiting'}>
      {t('personal.name.waiting', { name: queued.mine })}
    </StatusMark>
  );
  return (
    <Block title={t('personal.name.title')} aside={aside}>
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
        <Button type="submit" loading={saving.isSaving}>
          {t(isOnline ? 'personal.name.save' : 'personal.name.save_offline')}
        </Button>
      </form>
    </Block>
  );
}

function useSaveName(user: User, { isQueued, onRefused }: { isQueued: boolean; onRefused: (message: string) => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOnline = useIsOnline();
  const saving = useMutation({
    mutationFn: (display_name: string) => call(accountApi.edit, { body: { display_name } }),
    meta: { quiet: true },
    onSuccess: async () => {
      toastSuccess(t('personal.name.saved'));
      await queryClient.invalidateQueries(selfQuery);
    },
    onError: async (thrown, name) => {
      const failure = failureOf(thrown);
      if (failure.isUnreachable) await keep(name);
      else if (failure.field === 'display_name') onRefused(failure.message);
      else toastFailure(failure);
    },
  });
  async function keep(name: string): Promise<void> {
    await queueEdit({ optionKey: ownNameKey, base: ownNameState(user), mine: name });
    if (!isOnline) toastNote(t('personal.kept'));
  }
  return {
    // Two ways to the server would overtake each other.
    save: (name: string) => (!isOnline || isQueued ? void keep(name) : saving.mutate(name)),
    isSaving: saving.isPending,
  };
}
