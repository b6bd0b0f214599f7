import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { verificationApi } from '#shared/verification.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import styles from './session-form.module.css';

/** Where the link of the mail leads: a new password, shown once. */
export function NewPasswordScreen({ email, token }: { email: string; token: string }) {
  const { t } = useTranslation();
  useScreenHeading(t('signin.new_password.title'));
  const reset = useMutation({
    mutationFn: async () => {
      const password = await call(verificationApi.reset, { body: { email, token } });
      // Where the browser refuses, the button beside the password is left.
      await navigator.clipboard?.writeText(password).catch(() => undefined);
      return password;
    },
    meta: { quiet: true },
  });
  const isBroken = email === '' || token === '';
  const failure = isBroken ? t('signin.new_password.broken') : reset.error === null ? undefined : failureOf(reset.error).message;
  return (
    <section className={styles.form}>
      <h1 className={styles.title}>{t('signin.new_password.title')}</h1>
      {reset.data === undefined ? (
        <>
          {!isBroken && <p>{t('signin.new_password.hint', { email })}</p>}
          {failure !== undefined && (
            <p className={styles.failure} role="alert">
              <StatusMark status="failed">{failure}</StatusMark>
            </p>
          )}
          {!isBroken && (
            <OnlineButton
              variant="filled"
              fullWidth
              loading={reset.isPending}
              label={t('signin.new_password.submit')}
              onClick={() => reset.mutate()}
            />
          )}
          {failure !== undefined && (
            <p className={styles.other}>
              <Link to="/reset">{t('signin.new_password.another')}</Link>
            </p>
          )}
        </>
      ) : (
        <>
          <p role="status">{t('signin.new_password.done')}</p>
          <CopyText mono text={reset.data} label={t('signin.new_password.copy')} />
        </>
      )}
      <p className={styles.other}>
        <Link to="/login">{t('signin.callback.to_login')}</Link>
      </p>
    </section>
  );
}
