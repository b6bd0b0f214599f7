import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { passwordProblem, usernameProblem } from '#shared/account-rules.ts';
import { invitationApi } from '#shared/invitations.ts';
import { passwordLimits, usernameLimit } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { focusFirstError, showOnField } from '#pwa/ui/form/field-errors.ts';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './accept.module.css';
import { openInvitationQuery } from './queries.ts';

interface AcceptScreenProps {
  /** The end of the link. */
  token: string;
  /** Signed in. */
  onEntered: () => void;
  /** The account is there; signing in is still to do. */
  onAccepted: () => void;
}

/** Where an invited person sets a password and enters. */
export function AcceptScreen(props: AcceptScreenProps) {
  const { t } = useTranslation();
  useScreenHeading(t('invitation.title'));
  const invitation = useQuery({ ...openInvitationQuery(props.token), enabled: props.token !== '' });
  const refusal =
    props.token === '' ? t('invitation.no_link') : invitation.error === null ? undefined : failureOf(invitation.error).message;
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>{t('invitation.title')}</h1>
      <Refusal text={refusal} />
      {invitation.data !== undefined && <AcceptForm {...props} username={invitation.data.username} quota={invitation.data.quota} />}
      <p className={`${typography.muted} ${styles.other}`}>
        {t('register.has_account')} <Link to="/login">{t('session.login.link')}</Link>
      </p>
    </section>
  );
}

const formId = 'invitation-form';

function AcceptForm({ token, username: name, quota, onEntered, onAccepted }: AcceptScreenProps & { username: string; quota: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { username: name, password: '' },
    validate: {
      username: (value) => (usernameProblem(value) === undefined ? null : t('invitation.problem.username', { limit: usernameLimit })),
      password: (value) => (passwordProblem(value) === undefined ? null : t('invitation.problem.password', passwordLimits)),
    },
  });
  const accept = useMutation({
    mutationFn: (values: { username: string; password: string }) => call(invitationApi.accept, { body: { token, ...values } }),
    meta: { quiet: true },
    onSuccess: (user) => {
      if (user === undefined) return onAccepted();
      // The user who was signed in on this device is signed out.
      queryClient.clear();
      storeUser(user);
      queryClient.setQueryData(selfQuery.queryKey, user);
      onEntered();
    },
    onError: (error) => showOnField(form, failureOf(error)),
  });
  // The inviter chose the name, unless another user has taken it since.
  const isNameTaken = accept.error !== null && failureOf(accept.error).code === 'username_taken';
  return (
    <form
      id={formId}
      className={layout.stackLg}
      noValidate
      onSubmit={form.onSubmit(
        (values) => accept.mutate(values),
        () => focusFirstError(formId),
      )}
    >
      <p>
        <StatusMark status="on">
          {quota > 0 ? t('invitation.welcome_credit', { amount: format.quota(quota) }) : t('invitation.welcome')}
        </StatusMark>
      </p>
      <TextInput
        label={t('register.username')}
        autoComplete="username"
        readOnly={!isNameTaken && form.values.username === name}
        {...form.getInputProps('username')}
      />
      <PasswordField
        label={t('session.login.password')}
        description={t('register.password_hint', passwordLimits)}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        autoComplete="new-password"
        autoFocus
        {...form.getInputProps('password')}
      />
      <Refusal text={refusalText(accept.error, form)} />
      <OnlineButton type="submit" variant="filled" fullWidth loading={accept.isPending} label={t('invitation.accept')} />
    </form>
  );
}
