import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type LoginInput, sessionApi } from '#shared/session.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { registrationClosed, useSiteStatus } from '#pwa/api/site-status.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { PlainField, PlainPassword } from '#pwa/ui/form/plain-field.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './session-form.module.css';

interface LoginScreenProps {
  /** The session ended while somebody was at work. */
  isExpired: boolean;
  onSignedIn: () => void;
}

export function LoginScreen({ isExpired, onSignedIn }: LoginScreenProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const status = useSiteStatus();
  const isOffline = useConnection() === 'offline';
  useScreenHeading(t('session.login.title'));

  const [missing, setMissing] = useState<{ username?: string; password?: string }>({});
  const login = useMutation({
    mutationFn: (body: LoginInput) => call(sessionApi.login, { body }),
    meta: { quiet: true },
    onSuccess: (user) => {
      storeUser(user);
      queryClient.setQueryData(selfQuery.queryKey, user);
      onSignedIn();
    },
  });
  const offersRegister = registrationClosed(status) === undefined;

  // Two fields: the form library would be a tenth of the first load.
  function handleSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const username = textOf(fields, 'username').trim();
    const password = textOf(fields, 'password');
    setMissing({
      ...(username === '' ? { username: t('session.login.username_required') } : {}),
      ...(password === '' ? { password: t('session.login.password_required') } : {}),
    });
    if (username === '') event.currentTarget.querySelector<HTMLInputElement>('[name=username]')?.focus();
    else if (password === '') event.currentTarget.querySelector<HTMLInputElement>('[name=password]')?.focus();
    else login.mutate({ username, password });
  }

  return (
    <section className={styles.form}>
      <h1 className={styles.title}>{t('session.login.title')}</h1>
      {isExpired && (
        <p className={styles.notice}>
          <StatusMark status="note">{t('session.login.expired')}</StatusMark>
        </p>
      )}
      <form className={styles.fields} noValidate onSubmit={handleSubmit}>
        <PlainField name="username" label={t('session.login.username')} error={missing.username} autoComplete="username" autoFocus />
        <PlainPassword name="password" label={t('session.login.password')} error={missing.password} autoComplete="current-password" />
        {login.error !== null && (
          <p className={styles.failure} role="alert">
            <StatusMark status="failed">{failureOf(login.error).message}</StatusMark>
          </p>
        )}
        <PlainButton
          type="submit"
          variant="filled"
          isWide
          isBusy={login.isPending}
          disabled={isOffline}
          icon={isOffline ? <Icon name="unlinked" /> : null}
        >
          {t(isOffline ? 'session.login.needs_connection' : 'session.login.submit')}
        </PlainButton>
      </form>
      {offersRegister && (
        <p className={styles.other}>
          {t('session.login.no_account')} <Link to="/register">{t('session.register.link')}</Link>
        </p>
      )}
    </section>
  );
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
