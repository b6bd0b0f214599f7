import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type OptionChange, optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { statusQuery } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { ChangeLines } from '#pwa/ui/list/change-lines.tsx';
import { historyQuery } from './queries.ts';
import styles from './settings-panels.module.css';
import { useChangeLines } from './use-change-lines.ts';
import { useSettingLabels } from './use-setting-labels.ts';

interface SettingsHistoryProps {
  /** Settings of the page that is open. */
  keys: readonly string[];
  onClose: () => void;
}

/** Who changed what, and when, with a way back. */
export function SettingsHistory({ keys, onClose }: SettingsHistoryProps) {
  const { t } = useTranslation();
  const [scope, setScope] = useState<'page' | 'all'>('page');
  const query = useInfiniteQuery(historyQuery(scope === 'page' ? keys : undefined));
  const undo = useUndo();
  return (
    <SidePanel
      title={t('settings.history.title')}
      onClose={onClose}
      foot={<p className={styles.first}>{t('setting_parts.history.foot')}</p>}
    >
      <Segments
        label={t('settings.history.title')}
        value={scope}
        options={[
          { value: 'page', label: t('setting_parts.history.page') },
          { value: 'all', label: t('setting_parts.history.all') },
        ]}
        onChange={setScope}
      />
      <QueryState query={query} what={t('settings.history.title')} lines={8}>
        {({ pages }) => {
          const changes = pages.flatMap(({ items }) => items);
          if (changes.length === 0) return <p className={styles.empty}>{t('setting_parts.history.empty')}</p>;
          return (
            <>
              <ul className={styles.changes}>
                {changes.map((change) => (
                  <Change key={change.id} change={change} isBusy={undo.isPending} onUndo={() => undo.mutate(change.id)} />
                ))}
              </ul>
              {query.hasNextPage && (
                <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t('setting_parts.history.more')}
                </Button>
              )}
            </>
          );
        }}
      </QueryState>
    </SidePanel>
  );
}

/** Reverts a change; if a part cannot be reverted, that is reported, and the list is requested again. */
function useUndo() {
  const queryClient = useQueryClient();
  const refresh = async (): Promise<void> => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: optionsQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: statusQuery.queryKey }),
    ]);
  };
  return useMutation({
    mutationFn: (id: number) => call(optionApi.undo, { params: { id: String(id) } }),
    meta: { quiet: true },
    onError: (error) => toastFailure(failureOf(error)),
    onSettled: refresh,
  });
}

function Change({ change, isBusy, onUndo }: { change: OptionChange; isBusy: boolean; onUndo: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useSettingLabels();
  const lines = useChangeLines().ofChange(change);
  const isToday = format.dayKey(change.created_at) === format.dayKey(Date.now() / 1000);
  const time = isToday ? t('outbox.today', { time: format.clock(change.created_at) }) : format.dateTime(change.created_at);
  return (
    <li className={styles.change}>
      <p className={typography.note}>
        {time}
        {[change.username, change.source ?? '', change.note ?? ''].filter((text) => text !== '').map((text) => ` · ${text}`)}
      </p>
      <header className={`${layout.row} ${layout.spread} ${styles.what}`}>
        <h3>{words.name(change.key)}</h3>
        {change.can_undo && <OnlineButton variant="subtle" disabled={isBusy} onClick={onUndo} label={t('setting_parts.history.undo')} />}
      </header>
      {lines.length > 0 ? (
        <ChangeLines lines={lines} more={(count) => t('settings.changes_more', { count })} />
      ) : (
        <p className={typography.note}>{t('setting_parts.history.too_long')}</p>
      )}
      {change.is_set !== undefined && <p className={typography.note}>{t('setting_parts.history.secret')}</p>}
    </li>
  );
}
