import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type RegisterInput, sessionApi } from '#shared/session.ts';
import { passwordLimits, usernameLimit } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { registrationClosed, useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { focusFirstError, problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { forgetInviteCode, keptInviteCode } from './invite-code.ts';
import { registerBody, registerProblems } from './register-form.ts';
import styles from './session-form.module.css';

export function RegisterScreen({ onRegistered }: { onRegistered: () => void }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  useScreenHeading(t('register.title'));
  const closed = registrationClosed(status);
  return (
    <section className={styles.form}>
      <h1 className={styles.title}>{t('register.title')}</h1>
      {closed === undefined ? (
        <RegisterForm onRegistered={onRegistered} />
      ) : (
        <p className={styles.notice}>
          <StatusMark status="note">{t(`register.shut.${closed}`)}</StatusMark>
        </p>
      )}
      <p className={styles.other}>
        {t('register.has_account')} <Link to="/login">{t('session.login.link')}</Link>
      </p>
    </section>
  );
}

const formId = 'register-form';

function RegisterForm({ onRegistered }: { onRegistered: () => void }) {
  const { t } = useTranslation();
  const inviteCode = keptInviteCode();
  const form = useForm({
    initialValues: { username: '', password: '', password2: '' },
    validate: (values) =>
      problemTexts(registerProblems(values), (problem) => t(`register.problem.${problem}`, { ...passwordLimits, limit: usernameLimit })),
  });
  const register = useMutation({
    mutationFn: (body: RegisterInput) => call(sessionApi.register, { body }),
    meta: { quiet: true },
    onSuccess: () => {
      forgetInviteCode();
      toastSuccess(t('register.done'));
      onRegistered();
    },
    onError: (error) => showOnField(form, failureOf(error)),
  });
  const refusal = refusalText(register.error, form);
  const below = ['label', 'input', 'error', 'description'] as const;

  return (
    <form
      id={formId}
      className={styles.fields}
      noValidate
      onSubmit={form.onSubmit(
        (values) => register.mutate(registerBody(values, inviteCode)),
        () => focusFirstError(formId),
      )}
    >
      <TextInput
        label={t('register.username')}
        description={t('register.username_hint', { limit: usernameLimit })}
        inputWrapperOrder={[...below]}
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        autoFocus
        {...form.getInputProps('username')}
      />
      <PasswordField
        label={t('session.login.password')}
        description={t('register.password_hint', passwordLimits)}
        inputWrapperOrder={[...below]}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <PasswordField label={t('register.confirm')} autoComplete="new-password" {...form.getInputProps('password2')} />
      {inviteCode !== undefined && (
        <p className={styles.other}>
          {t('register.invited')} <code>{inviteCode}</code>
        </p>
      )}
      {refusal !== undefined && (
        <p className={styles.failure} role="alert">
          <StatusMark status="failed">{refusal}</StatusMark>
        </p>
      )}
      <OnlineButton type="submit" variant="filled" fullWidth loading={register.isPending} label={t('session.register.link')} />
    </form>
  );
}
