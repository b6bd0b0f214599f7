import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { dropHeldUser, heldUser, onStoredUserChange, signedInUser, storeUser } from '#pwa/api/stored-user.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { PlainField, PlainPassword } from '#pwa/ui/form/plain-field.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { atBase } from '#pwa/ui/base-path.ts';
import { sendLogin } from './send-login.ts';
import styles from './session-form.module.css';
import { useHumanCheck } from './use-human-check.tsx';

/** Over a page whose session has ended while something was typed into it. */
export function SignInAgain() {
  const { t } = useTranslation();
  const held = useSyncExternalStore(onStoredUserChange, heldUser);
  const present = useSyncExternalStore(onStoredUserChange, signedInUser);
  const [chosen, setChosen] = useState<User | null>(null);
  if (held === null) return null;
  const other = chosen ?? (present !== null && present.id !== held.id ? present : null);

  /** What was typed goes with the account that typed it. */
  function leave(): void {
    setChosen(null);
    if (other !== null) storeUser(other);
    dropHeldUser();
  }
  return (
    <Dialog title={t('signin.again.title')} onClose={() => undefined}>
      <div className={layout.stackLg}>
        <p>{other === null ? t('signin.again.text') : t('signin.again.other', { other: other.username, name: held.username })}</p>
        <AgainForm name={held.username} userId={held.id} onOther={setChosen} />
        <PlainButton variant="subtle" isWide onClick={leave}>
          {other === null ? t('signin.again.leave') : t('signin.again.go_on', { other: other.username })}
        </PlainButton>
      </div>
    </Dialog>
  );
}

interface AgainFormProps {
  name: string;
  userId: number;
  /** Another user has signed in. */
  onOther: (user: User | null) => void;
}

function AgainForm({ name, userId, onOther }: AgainFormProps) {
  const { t } = useTranslation();
  const human = useHumanCheck(useSiteStatus());
  const isOffline = useConnection() === 'offline';
  const [isWorking, setWorking] = useState(false);
  const login = useMutation({
    mutationFn: (body: { username: string; password: string }) => sendLogin(body, { token: human.token }, setWorking),
    meta: { quiet: true },
    networkMode: 'always',
    onSuccess(user) {
      if (user.id !== userId) onOther(user);
      else {
        onOther(null);
        storeUser(user);
      }
    },
    onError: () => human.renew(),
  });

  function handleSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    // The dialog may stand within a form of the page.
    event.stopPropagation();
    const fields = new FormData(event.currentTarget);
    const [username, password] = [fields.get('username'), fields.get('password')];
    if (typeof username === 'string' && typeof password === 'string' && password !== '')
      login.mutate({ username: username.trim(), password });
  }
  return (
    <form className={layout.stackLg} noValidate onSubmit={handleSubmit}>
      <PlainField name="username" label={t('session.login.username')} defaultValue={name} autoComplete="username" />
      <PlainPassword name="password" label={t('session.login.password')} autoComplete="current-password" autoFocus />
      {human.widget}
      {isWorking && (
        <p className={styles.notice} role="status">
          <StatusMark status="note">{t('session.login.proof_wait')}</StatusMark>
        </p>
      )}
      {login.error !== null && (
        <p className={styles.failure} role="alert">
          <StatusMark status="failed">{failureOf(login.error).message}</StatusMark>
        </p>
      )}
      <PlainButton type="submit" variant="filled" isWide isBusy={login.isPending} disabled={isOffline || human.isWaiting}>
        {t(isOffline ? 'session.login.needs_connection' : 'session.login.submit')}
      </PlainButton>
      <p>
        <a href={atBase('/login?expired=true')} target="_blank" rel="noopener noreferrer">
          {t('signin.again.elsewhere')}
        </a>
      </p>
    </form>
  );
}
