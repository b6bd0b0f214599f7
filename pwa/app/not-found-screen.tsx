import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './error-screen.module.css';

/** An address that leads nowhere. The frame around it is the usual one: its navigation is the way on. */
export function NotFoundScreen() {
  const { t } = useTranslation();
  return (
    <Message title={t('frame.not_found.title')} text={t('frame.not_found.text')}>
      <Link className={styles.link} to="/">
        {t('frame.not_found.home')}
      </Link>
    </Message>
  );
}

/** A screen that needs a right which the account does not have. */
export function NoRightScreen() {
  const { t } = useTranslation();
  return (
    <Message title={t('frame.no_right.title')} text={t('frame.no_right.text')}>
      <Link className={styles.link} to="/">
        {t('frame.not_found.home')}
      </Link>
    </Message>
  );
}

function Message({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const user = useStoredUser();
  // On a phone the title is in the top bar, if a user is signed in.
  const isTitleAbove = useIsPhone() && user !== null;
  useScreenHeading(title);
  return (
    <main className={`${layout.stackSm} ${layout.fill} ${styles.screen}`} id="main" tabIndex={-1}>
      {!isTitleAbove && <h1 className={`${typography.title} ${styles.title}`}>{title}</h1>}
      <p>{text}</p>
      <div className={`${layout.wrap} ${styles.actions}`}>{children}</div>
    </main>
  );
}
