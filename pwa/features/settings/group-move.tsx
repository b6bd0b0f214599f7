import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { GroupStep } from '#shared/groups.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { groupMoveQuery } from './queries.ts';
import styles from './row-table.module.css';

/** Move of a group into another one, started by any user; and the settings after each step. */
export function GroupMoveNote() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: move } = useQuery(groupMoveQuery);
  const step = move === undefined ? undefined : (move?.step ?? 'none');
  useEffect(() => {
    if (step === undefined) return;
    void queryClient.invalidateQueries(optionsQuery);
    void queryClient.invalidateQueries(groupsQuery);
  }, [queryClient, step]);
  if (move === undefined || move === null) return null;
  const { options: steps } = GroupStep;
  const done = steps.indexOf(move.step) + 1;
  return (
    <p className={styles.note} role="status">
      <StatusMark status="running">
        {t('setting_parts.groups.moving', { from: move.from, to: move.to, step: done, total: steps.length })}
      </StatusMark>
    </p>
  );
}
