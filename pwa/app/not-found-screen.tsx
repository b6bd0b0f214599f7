import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
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
  return (
    <main className={styles.screen} id="main">
      <h1 className={styles.title}>{t('shell.no_right.title')}</h1>
      <p>{t('shell.no_right.text')}</p>
      <div className={styles.actions}>
        <Button component={Link} to="/">
          {t('shell.not_found.home')}
        </Button>
      </div>
    </main>
  );
}
