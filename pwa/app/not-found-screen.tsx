import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '#pwa/ui/breakpoint.ts';
import { useScreenHeading } from '#pwa/ui/screen-heading.ts';
import styles from './error-screen.module.css';

export function NotFoundScreen() {
  const { t } = useTranslation();
  return (
    <main className={styles.screen} id="main">
      <h1 className={styles.title}>{t('shell.not_found.title')}</h1>
      <p>{t('shell.not_found.text')}</p>
      <div className={styles.actions}>
        <Button component={Link} to="/">
          {t('shell.not_found.home')}
        </Button>
      </div>
    </main>
  );
}

/** A screen that needs a right which the account does not have. */
export function NoRightScreen() {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const title = t('shell.no_right.title');
  useScreenHeading(title);
  return (
    <main className={styles.screen} id="main">
      {/* On a phone it stands in the top bar. */}
      {!isPhone && <h1 className={styles.title}>{title}</h1>}
      <p>{t('shell.no_right.text')}</p>
      <div className={styles.actions}>
        <Button component={Link} to="/">
          {t('shell.not_found.home')}
        </Button>
      </div>
    </main>
  );
}
