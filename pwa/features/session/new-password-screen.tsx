import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { verificationApi } from '#shared/verification.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { PlainField } from '#pwa/ui/form/plain-field.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './session-form.module.css';

interface Proof {
  email: string;
  token: string;
  /** By hand: a wrong one can be typed again. */
  isTyped?: boolean;
}

/** Where the link of the mail leads, or where its code is typed: a new password, shown once. */
export function NewPasswordScreen(link: Proof) {
  const { t } = useTranslation();
  const [{ email, token, isTyped = false }, setProof] = useState(link);
  useScreenHeading(t('signin.new_password.title'));
  const reset = useMutation({
    mutationFn: () => call(verificationApi.reset, { body: { email, token } }),
    meta: { quiet: true },
    // The browser may request permission. If it refuses, the copy button remains.
    onSuccess: (password) => void navigator.clipboard?.writeText(password).catch(() => undefined),
  });
  const isHalf = email === '' && token !== '';
  const refusal = reset.error === null ? undefined : failureOf(reset.error);
  const isWrong = isTyped && (refusal?.code === 'reset_link_invalid' || refusal?.code === 'invalid_parameter');
  const isBroken = email === '' || token === '' || isWrong;
  const failure = isHalf ? t('signin.new_password.broken') : refusal?.message;
  return (
    <section className={`${layout.stackLg} ${surface.card} ${styles.form}`}>
      <h1 className={typography.title}>{t('signin.new_password.title')}</h1>
      {reset.data === undefined ? (
        <>
          {!isBroken && <p>{t('signin.new_password.hint', { email })}</p>}
          {failure !== undefined && !isWrong && (
            <p className={styles.failure} role="alert">
              <StatusMark status="failed">{failure}</StatusMark>
            </p>
          )}
          {isBroken ? (
            <ProofForm
              {...{ email, token }}
              refusal={isWrong ? failure : undefined}
              onGiven={(proof) => {
                reset.reset();
                setProof(proof);
              }}
            />
          ) : (
            <OnlineButton
              variant="filled"
              fullWidth
              loading={reset.isPending}
              label={t('signin.new_password.submit')}
              onClick={() => reset.mutate()}
            />
          )}
          {(failure !== undefined || isBroken) && (
            <p className={`${typography.muted} ${styles.other}`}>
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
      <p className={`${typography.muted} ${styles.other}`}>
        <Link to="/login">{t('signin.callback.to_login')}</Link>
      </p>
    </section>
  );
}

/** The mail of an installation that does not know its own address holds a code in place of a link. */
function ProofForm({ email, token, refusal, onGiven }: Proof & { refusal: string | undefined; onGiven: (proof: Proof) => void }) {
  const { t } = useTranslation();
  const [missing, setMissing] = useState<{ email?: true; token?: true }>({});
  function handleSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const proof = { email: textOf(form.get('email')), token: textOf(form.get('token')) };
    setMissing({ ...(proof.email === '' && { email: true }), ...(proof.token === '' && { token: true }) });
    const empty = proof.email === '' ? 'email' : proof.token === '' ? 'token' : undefined;
    if (empty === undefined) onGiven({ ...proof, isTyped: true });
    else event.currentTarget.querySelector<HTMLInputElement>(`[name=${empty}]`)?.focus();
  }
  return (
    <form className={layout.stackLg} noValidate onSubmit={handleSubmit}>
      <PlainField
        name="email"
        label={t('signin.email.label')}
        error={missing.email && t('signin.email.required')}
        autoComplete="email"
        defaultValue={email}
        autoFocus={email === ''}
      />
      <PlainField
        name="token"
        label={t('signin.new_password.code')}
        error={missing.token ? t('signin.new_password.code_required') : refusal}
        autoComplete="one-time-code"
        defaultValue={token}
        autoFocus={email !== ''}
      />
      <PlainButton type="submit" variant="filled" isWide>
        {t('signin.new_password.go_on')}
      </PlainButton>
    </form>
  );
}

function textOf(given: FormDataEntryValue | null): string {
  return typeof given === 'string' ? given.trim() : '';
}
