import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { accountApi } from '#shared/account.ts';
import { passwordLimits } from '#shared/user.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { FormBlock } from './form-block.tsx';
import { passwordProblems } from './password-problems.ts';
import styles from './personal.module.css';

const empty = { original_password: '', password: '', again: '' };

/** The new password is never stored on the device: without a connection the form says that it needs one. */
export function PasswordForm({ username }: { username: string }) {
  const { t } = useTranslation();
  const about = (
    <>
      <b>{t('personal.password.name')}</b>
      <span>{t('personal.password.effect')}</span>
    </>
  );
  return (
    <FormBlock
      title={t('personal.password.title')}
      row={{ about, action: t('personal.password.open'), label: t('personal.password.title') }}
    >
      {(onDone) => <Fields username={username} onDone={onDone} />}
    </FormBlock>
  );
}

function Fields({ username, onDone }: { username: string; onDone: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // On a phone its sheet may be closed before the answer comes.
  const place = useRef<HTMLFormElement>(null);
  const form = useForm({
    initialValues: empty,
    validate: (values) =>
      Object.fromEntries(
        Object.entries(passwordProblems(values)).map(([field, problem]) => [field, t(`personal.password.${problem}`, passwordLimits)]),
      ),
  });
  const change = useMutation({
    mutationFn: ({ original_password, password }: typeof empty) =>
      callWithExtra(accountApi.edit, { body: { original_password, password } }),
    meta: { quiet: true },
    onSuccess: ({ message }) => {
      form.reset();
      // The server says so when an access token ended with the former password.
      toastSuccess(message === '' ? t('personal.password.saved') : message);
      void queryClient.invalidateQueries(selfQuery);
      onDone();
    },
    onError: (error) => {
      const failure = failureOf(error);
      const isShown = place.current !== null && (failure.field === 'original_password' || failure.field === 'password');
      if (isShown) form.setFieldError(failure.field, failure.message);
      else toastFailure(failure);
    },
  });
  const label = t('personal.password.save');
  return (
    <form className={`${layout.stackLg} ${styles.form}`} ref={place} onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
      {/* Password managers file what is entered under it. */}
      <input type="hidden" name="username" autoComplete="username" value={username} readOnly />
      <PasswordField label={t('personal.password.old')} autoComplete="current-password" {...form.getInputProps('original_password')} />
      <PasswordField label={t('personal.password.new')} autoComplete="new-password" {...form.getInputProps('password')} />
      <PasswordField label={t('personal.password.again')} autoComplete="new-password" {...form.getInputProps('again')} />
      <p className={typography.note}>{t('personal.password.hint', passwordLimits)}</p>
      <OnlineButton type="submit" loading={change.isPending} label={label} />
    </form>
  );
}
