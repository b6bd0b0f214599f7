import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import type { LogSearch } from './log-address.ts';
import { LogPanel } from './log-panel.tsx';
import { logQuery } from './queries.ts';
import styles from './logs.module.css';

interface LinkedLogProps {
  /** The row's number, as the address has it. */
  id: string;
  isAdmin: boolean;
  onClose: () => void;
  onAlike: (log: Log) => void;
  search: LogSearch;
  onFilter: (change: Partial<LogSearch>) => void;
}

const missing = new Set(['not_found', 'log_not_found', 'invalid_field']);

/** Row that is not on the listed page: the user followed a link to it. */
export function LinkedLog({ id, ...panel }: LinkedLogProps) {
  const { t } = useTranslation();
  const { isAdmin, onClose } = panel;
  const query = useQuery(logQuery(isAdmin, id));
  if (query.data !== undefined) {
    return <LogPanel log={query.data} {...panel} onPrevious={undefined} onNext={undefined} />;
  }
  return (
    <SidePanel title={t('receipt.entry')} note={`#${id}`} onClose={onClose}>
      {query.error !== null && missing.has(failureOf(query.error).code) ? (
        <div className={`${layout.stackSm} ${styles.missing}`} role="alert">
          <StatusMark status="note" strong>
            {t('receipt.missing')}
          </StatusMark>
          <p>{isAdmin ? t('receipt.missing_admin', { id }) : t('receipt.missing_text')}</p>
          <Button onClick={onClose}>{t('common.action.close')}</Button>
        </div>
      ) : (
        <QueryState query={query} what={t('receipt.entry')} lines={8}>
          {() => null}
        </QueryState>
      )}
    </SidePanel>
  );
}
