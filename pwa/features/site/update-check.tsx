import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { safeLink } from '#shared/links.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';
import { updateQuery } from './queries.ts';
import styles from './site-content.module.css';

/** Requests the published releases through the server. */
export function UpdateCheck({ version }: { version: string }) {
  const { t } = useTranslation();
  const update = useQuery(updateQuery);
  const link = safeLink(update.data?.url ?? '', 'web');
  return (
    <>
      <p className={styles.update} aria-live="polite">
        <OnlineButton label={t('site.update.check')} onClick={() => void update.refetch()} loading={update.isFetching} />
        {update.error !== null && <StatusMark status="failed">{update.error.message}</StatusMark>}
        {update.error === null && update.data !== undefined && (
          <StatusMark status={update.data.is_newer ? 'look' : 'on'}>
            {update.data.is_newer ? t('site.update.newer', { version: update.data.version }) : t('site.update.current', { version })}
          </StatusMark>
        )}
        {update.data?.is_newer === true && link !== undefined && (
          <Button component="a" href={link} target="_blank" rel="noopener noreferrer" variant="subtle">
            {t('site.update.open')}
          </Button>
        )}
      </p>
      {update.data?.is_newer === true && update.data.notes !== '' && <RichText text={update.data.notes} />}
    </>
  );
}
