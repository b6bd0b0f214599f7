import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type RegisterInput, registrationApi } from '#shared/registration.ts';
import type { SiteStatus } from '#shared/site.ts';
import { passwordLimits, type User, usernameLimit } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { registrationClosed, useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { focusFirstError, problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { forgetInviteCode, storedInviteCode } from './invite-code.ts';
import { EmailFields } from './email-fields.tsx';
import { OtherWays } from './other-ways.tsx';
import { registerBody, registerProblems, type RegisterValues } from './register-form.ts';
import styles from './session-form.module.css';
import { waysOf } from './sign-in-ways.ts';
import { useHumanCheck } from './use-human-check.tsx';

interface RegisterScreenProps {
  /** Where to go afterwards; a provider's sign-in comes back there, too. */
  from: string | undefined;
  /** Whether that is an invitation to an organisation. */
  isInvited: boolean;
  /** The account is there; signing in is still to do. */
  onRegistered: () => void;
  /** Signed in at once. */
  onEntered: () => void;
}

export function RegisterScreen({ from, isInvited, onRegistered, onEntered }: RegisterScreenProps) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  useScreenHeading(t('register.title'));
  const queryClient = useQueryClient();
  const closed = registrationClosed(status);
  // Providers register also where passwords do not.
  const isOpenElsewhere = (closed === undefined || closed === 'no_password') && waysOf(status).length > 0;
  function enter(user: User): void {
    forgetInviteCode();
    storeUser(user);
    queryClient.setQueryData(selfQuery.queryKey, user);
    onEntered();
  }
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>{t('register.title')}</h1>
      {isInvited && (
        <p className={styles.notice}>
          <StatusMark status="note">{t('session.login.invited')}</StatusMark>
        </p>
      )}
      {closed === undefined ? (
        <RegisterForm status={status} onRegistered={onRegistered} onEntered={enter} />
      ) : (
        <p className={styles.notice}>
          <StatusMark status="note">{t(`register.shut.${closed}`)}</StatusMark>
        </p>
      )}
      {status !== undefined && isOpenElsewhere && <OtherWays status={status} from={from} onSignedIn={enter} />}
      <p className={`${typography.muted} ${styles.other}`}>
        {t('register.has_account')} <Link to="/login">{t('session.login.link')}</Link>
      </p>
    </section>
  );
}

const formId = 'register-form';

const below = ['label', 'input', 'error', 'description'] as const;

interface RegisterFormProps extends Pick<RegisterScreenProps, 'onRegistered'> {
  status: SiteStatus | undefined;
  onEntered: (user: User) => void;
}

function RegisterForm({ status, onRegistered, onEntered }: RegisterFormProps) {
  const { t } = useTranslation();
  const needsMail = status?.email_verification === true;
  const human = useHumanCheck(status);
  const [isEarly, setEarly] = useState(false);
  const [hasShown, setShown] = useState(false);
  const inviteCode = storedInviteCode();
  const form = useForm({
    initialValues: { username: '', password: '', password2: '', email: '', verification_code: '' },
    validate: (values) =>
      problemTexts(registerProblems(values, needsMail), (problem) =>
        t(`register.problem.${problem}`, { ...passwordLimits, limit: usernameLimit }),
      ),
  });
  const register = useMutation({
    mutationFn: (body: RegisterInput) => call(registrationApi.register, { body, query: { turnstile: human.token } }),
    meta: { quiet: true },
    onSuccess: (user) => {
      if (user !== undefined) return onEntered(user);
      forgetInviteCode();
      toastSuccess(t('register.done'));
      onRegistered();
    },
    onError: (error) => showOnField(form, failureOf(error)),
    onSettled: human.renew,
  });
  function handleRegister(values: RegisterValues): void {
    // What was shown to have a code sent holds for a while.
    const isTooEarly = human.isWaiting && !hasShown;
    setEarly(isTooEarly);
    if (!isTooEarly) register.mutate(registerBody(values, inviteCode));
  }
  const refusal = refusalText(register.error, form);

  return (
    <form id={formId} className={layout.stackLg} noValidate onSubmit={form.onSubmit(handleRegister, () => focusFirstError(formId))}>
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
      {needsMail && <EmailFields form={form} human={human} onSent={() => setShown(true)} />}
      {human.widget}
      {isEarly && human.isWaiting && (
        <p className={styles.notice} role="status">
          <StatusMark status="note">{t('session.login.human_wait')}</StatusMark>
        </p>
      )}
      {inviteCode !== undefined && (
        <p className={`${typography.muted} ${styles.other}`}>
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
