import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { SiteStatus } from '#shared/site.ts';
import type { User } from '#shared/user.ts';
import { registrationClosed } from '#pwa/api/site-status.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './session-form.module.css';
import { useHumanCheck } from './use-human-check.tsx';

// With their texts, where the site has any.
const OtherWays = lazyPart(
  async () => {
    await loadTexts('signin');
    return import('./other-ways.tsx');
  },
  (part) => part.OtherWays,
);

/** What the form has to know of the human check; filled in once this part is loaded. */
export interface HumanGate {
  token?: string | undefined;
  isWaiting?: boolean;
  renew?: () => void;
}

interface ElsewhereProps {
  onGate: (gate: HumanGate) => void;
  status: SiteStatus | undefined;
  from: string | undefined;
  onSignedIn: (user: User) => void;
}

/** Human check, and links for users without a password. */
export function Elsewhere({ onGate, status, from, onSignedIn }: ElsewhereProps) {
  const { t } = useTranslation();
  const human = useHumanCheck(status);
  useEffect(() => onGate(human));
  return (
    <>
      {human.widget}
      {status !== undefined && hasOtherWays(status) && <OtherWays status={status} from={from} onSignedIn={onSignedIn} />}
      <p className={`${typography.muted} ${styles.other}`}>
        {registrationClosed(status) === undefined && (
          <>
            {t('session.login.no_account')} <Link to="/register">{t('session.register.link')}</Link>{' '}
          </>
        )}
        <Link to="/reset">{t('session.login.forgot')}</Link>
      </p>
    </>
  );
}

function hasOtherWays(status: SiteStatus): boolean {
  return status.github_oauth || status.oidc_enabled || status.linuxdo_oauth || status.wechat_login || status.telegram_oauth;
}
