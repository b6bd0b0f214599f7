import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LoginInput } from '#shared/session.ts';
import type { User } from '#shared/user.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { PlainField, PlainPassword } from '#pwa/ui/form/plain-field.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './session-form.module.css';
import type { HumanGate } from './elsewhere.tsx';
import { sendLogin } from './send-login.ts';

// A moment after the two fields: most people need no more.
const Elsewhere = lazyPart(
  () => import('./elsewhere.tsx'),
  (part) => part.Elsewhere,
);

interface LoginScreenProps {
  /** Whether the session ended during work. */
  isExpired: boolean;
  /** Where they were; a sign-in elsewhere comes back there too. */
  from: string | undefined;
  /** Whether that is an invitation to an organisation. */
  isInvited?: boolean;
  /** After a password; other ways say so. */
  onSignedIn: (way?: 'other') => void;
}

export function LoginScreen({ isExpired, from, isInvited = false, onSignedIn }: LoginScreenProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const status = useSiteStatus();
  const isOffline = useConnection() === 'offline';
  useScreenHeading(t('session.login.title'));

  const gate = useRef<HumanGate>({});
  const handleGate = (state: HumanGate) => void (gate.current = state);
  const [isEarly, setEarly] = useState(false);
  const [isWorking, setWorking] = useState(false);
  const [missing, setMissing] = useState<{ username?: string; password?: string }>({});
  const login = useMutation({
    mutationFn: (body: LoginInput) => sendLogin(body, gate.current, setWorking),
    meta: { quiet: true },
    onSuccess: (user) => {
      enter(user);
      onSignedIn();
    },
    onError: () => gate.current.renew?.(),
  });
  function enter(user: User): void {
    storeUser(user);
    queryClient.setQueryData(selfQuery.queryKey, user);
  }

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
    else {
      // A passed check is valid for a while: after a refusal the server may not require another one.
      const isTooEarly = gate.current.isWaiting === true && login.error === null;
      setEarly(isTooEarly);
      if (!isTooEarly) login.mutate({ username, password });
    }
  }

  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>{t('session.login.title')}</h1>
      {isExpired && <Notice>{t('session.login.expired')}</Notice>}
      {isInvited && <Notice>{t('session.login.invited')}</Notice>}
      <form className={layout.stackLg} noValidate onSubmit={handleSubmit}>
        <PlainField name="username" label={t('session.login.username')} error={missing.username} autoComplete="username" autoFocus />
        <PlainPassword name="password" label={t('session.login.password')} error={missing.password} autoComplete="current-password" />
        {isEarly && <Wait>{t('session.login.human_wait')}</Wait>}
        {isWorking && <Wait>{t('session.login.proof_wait')}</Wait>}
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
      <Elsewhere onGate={handleGate} status={status} from={from} onSignedIn={(user) => (enter(user), onSignedIn('other'))} />
    </section>
  );
}

function Notice({ children }: { children: string }) {
  return (
    <p className={styles.notice}>
      <StatusMark status="note">{children}</StatusMark>
    </p>
  );
}

function Wait({ children }: { children: string }) {
  return (
    <p className={styles.notice} role="status">
      <StatusMark status="note">{children}</StatusMark>
    </p>
  );
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
