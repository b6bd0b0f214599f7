import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
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
import { toastFailure, toastNote, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { FormBlock } from './form-block.tsx';
import styles from './personal.module.css';
import { SaveButton } from './save-button.tsx';

/** The shown name. Without a connection it waits in the outbox. */
export function NameForm({ user, about }: { user: User; about?: ReactNode }) {
  const { t } = useTranslation();
  const queued = useOutbox().find(({ optionKey }) => optionKey === ownNameKey);
  const aside = queued !== undefined && (
    <StatusMark status={queued.state === 'conflict' ? 'conflict' : 'waiting'}>
      {t('personal.name.waiting', { name: queued.mine })}
    </StatusMark>
  );
  return (
    <FormBlock
      title={t('personal.name.title')}
      aside={aside}
      row={{ about, action: t('personal.name.edit'), label: t('personal.name.edit_label') }}
    >
      {(onDone) => <Field user={user} waits={queued?.mine} onDone={onDone} />}
    </FormBlock>
  );
}

interface FieldProps {
  user: User;
  /** The name that waits to be sent. */
  waits: string | undefined;
  onDone: () => void;
}

function Field({ user, waits, onDone }: FieldProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(waits ?? user.display_name);
  const [error, setError] = useState<string>();
  const place = useRef<HTMLFormElement>(null);
  const saving = useSaveName(user, {
    isQueued: waits !== undefined,
    onDone,
    onRefused(message) {
      if (place.current !== null) setError(message);
      return place.current !== null;
    },
  });

  function handleSave(): void {
    const wanted = name.trim();
    const problem = displayNameProblem(wanted);
    if (wanted === '') setError(t('personal.name.required'));
    else if (problem === 'display_name_long') setError(t('personal.name.long', { limit: displayNameLimit }));
    else if (problem !== undefined) setError(t('personal.name.characters'));
    else saving.save(wanted);
  }
  return (
    <form
      className={styles.form}
      ref={place}
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
      <SaveButton of="name" isDirty={name !== (waits ?? user.display_name)} isSaving={saving.isSaving} />
    </form>
  );
}

interface Saving {
  isQueued: boolean;
  onDone: () => void;
  /** False: the field is no longer there to show it. */
  onRefused: (message: string) => boolean;
}

function useSaveName(user: User, { isQueued, onDone, onRefused }: Saving) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOnline = useIsOnline();
  const saving = useMutation({
    mutationFn: (display_name: string) => call(accountApi.edit, { body: { display_name } }),
    meta: { quiet: true },
    onSuccess: async () => {
      toastSuccess(t('personal.name.saved'));
      onDone();
      await queryClient.invalidateQueries(selfQuery);
    },
    onError: async (thrown, name) => {
      const failure = failureOf(thrown);
      if (failure.isUnreachable) await keep(name);
      else if (failure.field !== 'display_name' || !onRefused(failure.message)) toastFailure(failure);
    },
  });
  async function keep(name: string): Promise<void> {
    await queueEdit({ optionKey: ownNameKey, base: ownNameState(user), mine: name });
    if (!isOnline) toastNote(t('personal.kept'));
    onDone();
  }
  return {
    // Two ways to the server would overtake each other.
    save: (name: string) => (!isOnline || isQueued ? void keep(name) : saving.mutate(name)),
    isSaving: saving.isPending,
  };
}
