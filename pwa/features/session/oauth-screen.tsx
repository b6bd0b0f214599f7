import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RedirectProvider } from '#shared/oauth.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { storedUser, storeUser } from '#pwa/api/stored-user.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { forgetInviteCode } from './invite-code.ts';
import { sendAnswer } from './oauth-answer.ts';
import styles from './session-form.module.css';
import { wayBack } from '#pwa/api/way-back.ts';

interface OAuthScreenProps {
  provider: RedirectProvider;
  /** What the address held when the page was opened. */
  answer: { search: string; hash: string };
  onSignedIn: (from: string | undefined) => void;
  onBound: () => void;
  /** A while after a failure was shown. */
  onFailed: (wasSignedIn: boolean) => void;
}

/** Long enough to read the message; the link is there for who does not want to wait. */
const redirectAfterMs = 8000;

/** Return from a provider: sends its response to the server. */
export function OAuthScreen({ provider, answer, onSignedIn, onBound, onFailed }: OAuthScreenProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [message, setMessage] = useState<string>();
  const isSent = useRef(false);
  const [wasSignedIn] = useState(() => storedUser() !== null);
  useScreenHeading(t('signin.callback.title'));

  useEffect(() => {
    // An answer counts once.
    if (isSent.current) return;
    isSent.current = true;
    sendAnswer(provider, answer, wasSignedIn).then(
      (user) => {
        if (user === undefined) {
          void queryClient.invalidateQueries(selfQuery);
          toastSuccess(t('signin.bindings.bound_done'));
          onBound();
          return;
        }
        forgetInviteCode();
        storeUser(user);
        queryClient.setQueryData(selfQuery.queryKey, user);
        onSignedIn(wayBack());
      },
      (failure: unknown) => setMessage(failureOf(failure).message),
    );
  });

  const hasFailed = message !== undefined;
  useEffect(() => {
    if (!hasFailed) return;
    const timer = setTimeout(() => onFailed(wasSignedIn), redirectAfterMs);
    return () => clearTimeout(timer);
  }, [hasFailed, wasSignedIn, onFailed]);

  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>{t('signin.callback.title')}</h1>
      {message === undefined ? (
        <p role="status">{t('signin.callback.busy', { name: t(`signin.name.${provider}`) })}</p>
      ) : (
        <>
          <p className={styles.failure} role="alert">
            <StatusMark status="failed">{message}</StatusMark>
          </p>
          <p role="status">{t(wasSignedIn ? 'signin.callback.back_to_personal' : 'signin.callback.redirecting')}</p>
          <p className={`${typography.muted} ${styles.other}`}>
            {wasSignedIn ? (
              <Link to="/personal">{t('signin.callback.to_personal')}</Link>
            ) : (
              <Link to="/login">{t('signin.callback.to_login')}</Link>
            )}
          </p>
        </>
      )}
    </section>
  );
}
