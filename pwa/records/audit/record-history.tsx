import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '#shared/audit-log.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { AuditChanges } from './audit-changes.tsx';
import styles from './audit-changes.module.css';
import { recordHistoryQuery } from './queries.ts';
import { useAuditWords } from './use-audit-words.ts';

/** Entries of one object, newest first. @param object `<kind>:<id>` */
export function RecordHistory({ object }: { object: string }) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(recordHistoryQuery(object));
  return (
    <QueryState query={query} what={t('audit.history')} lines={4}>
      {({ pages }) => {
        const entries = pages.flatMap(({ items }) => items);
        if (entries.length === 0 && !query.hasNextPage) return <p className={styles.quiet}>{t('audit.history_empty')}</p>;
        return (
          <>
            <ul className={styles.entries}>
              {entries.map((entry) => (
                <HistoryEntry key={entry.id} entry={entry} />
              ))}
            </ul>
            {query.hasNextPage && (
              <Button
                className={styles.more}
                variant="subtle"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('audit.history_more')}
              </Button>
            )}
          </>
        );
      }}
    </QueryState>
  );
}

function HistoryEntry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useAuditWords();
  const { name, note } = words.who(entry);
  const seconds = Math.floor(entry.at / 1000);
  const isToday = format.dayKey(seconds) === format.dayKey(Date.now() / 1000);
  const time = isToday ? t('audit.today', { time: format.time(seconds) }) : format.dateTime(seconds);
  return (
    <li className={styles.entry}>
      <p className={typography.note}>{[time, [name, note].filter((part) => part !== '').join(' ')].join(' · ')}</p>
      <h4>{words.action(entry)}</h4>
      <AuditChanges entry={entry} />
    </li>
  );
}
