import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SiteStatus } from '#shared/site.ts';
import { resendSeconds, verificationApi } from '#shared/verification.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { PlainField } from '#pwa/ui/form/plain-field.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { atBase } from '#pwa/ui/base-path.ts';
import styles from './session-form.module.css';
import { useCountdown } from './use-countdown.ts';
import { useHumanCheck } from './use-human-check.tsx';
import { lendWayBack } from '#pwa/api/way-back.ts';

/** Requests a mail with a link, or a code, that resets the password. */
export function ResetScreen() {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const isOffline = useConnection() === 'offline';
  const human = useHumanCheck(status);
  const wait = useCountdown();
  const [problem, setProblem] = useState<string>();
  useScreenHeading(t('signin.reset.title'));
  const request = useMutation({
    mutationFn: (email: string) => call(verificationApi.requestReset, { query: { email, turnstile: human.token } }),
    meta: { quiet: true },
    onSuccess: () => {
      lendWayBack(Date.now());
      wait.start(resendSeconds);
    },
    onError: (error) => wait.start(failureOf(error).retryAfter ?? 0),
    onSettled: human.renew,
  });
  function handleSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('email');
    const email = typeof given === 'string' ? given.trim() : '';
    const missing = email === '' ? t('signin.email.required') : undefined;
    setProblem(missing ?? (human.isWaiting && !request.isSuccess ? t('signin.human.wait') : undefined));
    if (email !== '' && (!human.isWaiting || request.isSuccess)) request.mutate(email);
  }
  const failure = request.error === null ? undefined : failureOf(request.error).message;
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>{t('signin.reset.title')}</h1>
      <p>{t('signin.reset.hint')}</p>
      <form className={layout.stackLg} noValidate onSubmit={handleSubmit}>
        <PlainField name="email" label={t('signin.email.label')} error={problem} autoComplete="email" autoFocus />
        {human.widget}
        {failure !== undefined && (
          <p className={styles.failure} role="alert">
            <StatusMark status="failed">{failure}</StatusMark>
          </p>
        )}
        {request.isSuccess && (
          <p className={styles.notice} role="status">
            <StatusMark status="on">{t('signin.reset.sent')}</StatusMark>
          </p>
        )}
        {isAddressUnknown(status) && <CodeLink email={request.variables ?? ''} />}
        <PlainButton type="submit" variant="filled" isWide isBusy={request.isPending} disabled={isOffline || wait.left > 0}>
          {wait.left > 0 ? t('signin.email.again_in', { seconds: wait.left }) : t('signin.reset.submit')}
        </PlainButton>
      </form>
      <p className={`${typography.muted} ${styles.other}`}>
        <Link to="/login">{t('signin.callback.to_login')}</Link>
      </p>
    </section>
  );
}

function CodeLink({ email }: { email: string }) {
  const { t } = useTranslation();
  return (
    <p className={`${typography.muted} ${styles.other}`}>
      <a href={atBase(`/user/reset?${new URLSearchParams({ email }).toString()}`)}>{t('signin.reset.enter_code')}</a>
    </p>
  );
}

/** A server without a configured address has this name; its mails hold a code in place of a link. */
function isAddressUnknown(status: SiteStatus | undefined): boolean {
  return URL.parse(status?.server_address ?? '')?.hostname === 'localhost';
}
