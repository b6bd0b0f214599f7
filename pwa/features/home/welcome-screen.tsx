import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { registrationClosed, siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './welcome-screen.module.css';

const points = ['gateway', 'ledger', 'offline'] as const;

/** What a visitor sees: what this is, and the way in. */
export function WelcomeScreen({ footer }: { footer: ReactNode }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const siteName = status?.system_name || 'Tidegate';
  const offersRegister = registrationClosed(status) === undefined;
  useScreenHeading(siteName);
  return (
    <main className={`${layout.fill} ${styles.screen}`} id="main" tabIndex={-1}>
      <div className={styles.column}>
        <h1 className={styles.title}>{siteName}</h1>
        <p className={styles.lead}>{t('home.welcome.lead')}</p>
        <div className={layout.wrap}>
          <Button renderRoot={(attributes) => <Link {...attributes} to="/login" />} variant="filled">
            {t('session.login.link')}
          </Button>
          {offersRegister && (
            <Button renderRoot={(attributes) => <Link {...attributes} to="/register" />}>{t('session.register.link')}</Button>
          )}
          <Button renderRoot={(attributes) => <Link {...attributes} to="/pricing" />} variant="subtle">
            {t('home.welcome.prices')}
          </Button>
        </div>
        <dl className={styles.points}>
          {points.map((point) => (
            <div key={point}>
              <dt>{t(`home.welcome.${point}_title`)}</dt>
              <dd>{t(`home.welcome.${point}_text`)}</dd>
            </div>
          ))}
        </dl>
        <p className={`${layout.wrap} ${typography.muted} ${styles.address}`}>
          <span>{t('home.welcome.base_url')}</span>
          <code>{siteAddress(status)}/v1</code>
        </p>
        {footer}
      </div>
    </main>
  );
}
