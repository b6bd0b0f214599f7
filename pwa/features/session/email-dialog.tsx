import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SiteStatus } from '#shared/site.ts';
import { resendSeconds, verificationApi } from '#shared/verification.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { PlainField } from '#pwa/ui/form/plain-field.tsx';
import { FormDialog } from '#pwa/ui/frame/form-dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './session-form.module.css';
import { useCountdown } from './use-countdown.ts';
import { useHumanCheck } from './use-human-check.tsx';

interface EmailDialogProps {
  status: SiteStatus | undefined;
  onBound: () => void;
  onClose: () => void;
}

/** Binds an e-mail address by a code that is sent there. */
export function EmailDialog({ status, onBound, onClose }: EmailDialogProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const human = useHumanCheck(status);
  const wait = useCountdown();
  const [missing, setMissing] = useState<{ email?: string; code?: string }>({});
  const send = useMutation({
    mutationFn: (email: string) => call(verificationApi.sendCode, { query: { email, turnstile: human.token } }),
    meta: { quiet: true },
    onSuccess: () => wait.start(resendSeconds),
    onError: (error) => wait.start(failureOf(error).retryAfter ?? 0),
    onSettled: human.renew,
  });
  const bind = useMutation({
    mutationFn: (query: { email: string; code: string }) => call(verificationApi.bindEmail, { query }),
    meta: { quiet: true },
    onSuccess: onBound,
  });
  const valueOf = (name: string) => {
    const value = form.current === null ? '' : new FormData(form.current).get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  function handleSend(): void {
    const email = valueOf('email');
    const isEarly = human.isWaiting && !send.isSuccess;
    setMissing(email === '' ? { email: t('signin.email.required') } : isEarly ? { email: t('signin.human.wait') } : {});
    if (email !== '' && !isEarly) send.mutate(email);
  }
  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    const [email, code] = [valueOf('email'), valueOf('code')];
    setMissing({
      ...(email === '' ? { email: t('signin.email.required') } : {}),
      ...(code === '' ? { code: t('signin.bindings.code_required') } : {}),
    });
    if (email !== '' && code !== '') bind.mutate({ email, code });
  }
  const failed = bind.error ?? send.error;
  return (
    <FormDialog title={t('signin.bindings.email_title')} onClose={onClose}>
      <form ref={form} className={layout.stackLg} noValidate onSubmit={handleSubmit}>
        <PlainField name="email" label={t('signin.email.label')} error={missing.email} autoComplete="email" />
        <PlainButton isBusy={send.isPending} disabled={wait.left > 0} onClick={handleSend}>
          {wait.left > 0 ? t('signin.email.again_in', { seconds: wait.left }) : t('signin.bindings.send')}
        </PlainButton>
        {send.isSuccess && (
          <p role="status">
            <StatusMark status="on">{t('signin.bindings.sent')}</StatusMark>
          </p>
        )}
        <PlainField name="code" label={t('signin.bindings.code')} error={missing.code} autoComplete="one-time-code" />
        {human.widget}
        {failed !== null && (
          <p className={styles.failure} role="alert">
            <StatusMark status="failed">{failureOf(failed).message}</StatusMark>
          </p>
        )}
        <div className={`${layout.wrap} ${styles.actions}`}>
          <PlainButton onClick={onClose}>{t('signin.wechat.cancel')}</PlainButton>
          <PlainButton type="submit" variant="filled" isBusy={bind.isPending}>
            {t('signin.bindings.bind')}
          </PlainButton>
        </div>
      </form>
    </FormDialog>
  );
}
