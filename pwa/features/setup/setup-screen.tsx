import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { useScreenHeading } from '#pwa/ui/frame/screen-heading.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { setupQuery } from './queries.ts';
import { SetupWizard } from './setup-wizard.tsx';
import styles from './setup-screen.module.css';

/** Milliseconds for which the success is shown before the console restarts with the new settings. */
const reloadDelay = 1500;

/** The first screen of a new installation. `onDone`: it is set up already, or by now. */
export function SetupScreen({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const query = useQuery(setupQuery);
  const [isFinished, setFinished] = useState(false);
  useScreenHeading(t('setup.title'));

  const wasDone = query.data?.status === true;
  useEffect(() => {
    if (wasDone) onDone();
  }, [wasDone, onDone]);
  useEffect(() => {
    if (!isFinished) return;
    const timer = setTimeout(onDone, reloadDelay);
    return () => clearTimeout(timer);
  }, [isFinished, onDone]);

  function handleFinished(user: User | undefined): void {
    if (user !== undefined) storeUser(user);
    setFinished(true);
  }

  return (
    <section className={`${surface.card} ${styles.sheet}`}>
      <header className={layout.stackXs}>
        <h1 className={typography.title}>{t('setup.title')}</h1>
        <p className={typography.secondary}>{t('setup.lead')}</p>
      </header>
      {isFinished ? (
        <p className={styles.finished} role="status">
          <StatusMark status="on" strong>
            {t('setup.finished')}
          </StatusMark>
        </p>
      ) : (
        <QueryState query={query} what={t('setup.state')} lines={8}>
          {(state) => (state.status ? null : <SetupWizard state={state} onFinished={handleFinished} />)}
        </QueryState>
      )}
    </section>
  );
}
