import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelRun, ChannelRunKind } from '#shared/channel-runs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { OnlineButton, useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Disclosure, DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import type { ChannelAction } from './channel-dialog.tsx';
import styles from './channel-list-actions.module.css';
import type { ChannelRunsView } from './use-channel-runs.ts';

/** Stay side by side: the menu alone in a line of its own would belong to nothing. */
export function ChannelListActions({ children }: { children: ReactNode }) {
  return <span className={styles.actions}>{children}</span>;
}

export function AddChannelButton({ variant, onAdd }: { variant: 'default' | 'filled'; onAdd: () => void }) {
  const { t } = useTranslation();
  const label = t('channels.action.add');
  return <OnlineButton variant={variant} icon={<Icon name="plus" />} onClick={onAdd} label={label} />;
}

interface AllChannelsMenuProps {
  runs: ChannelRunsView;
  onAsk: (action: ChannelAction) => void;
}

/** What is done to channels without ticking them, and how it went last. */
export function AllChannelsMenu({ runs, onAsk }: AllChannelsMenuProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const items = [
    { key: 'test_all', icon: 'pulse', act: () => void runs.start('tests') },
    { key: 'balance_all', icon: 'wallet', act: () => void runs.start('balances') },
    { key: 'repair', icon: 'refresh', act: () => onAsk({ kind: 'repair' }) },
    { key: 'delete_disabled', icon: 'trash', act: () => onAsk({ kind: 'delete_disabled' }) },
  ] as const;
  return (
    <Disclosure
      button={(attributes) => (
        <ActionIcon variant="default" aria-label={t('channels.action.more_all')} {...attributes}>
          <Icon name="more" />
        </ActionIcon>
      )}
    >
      {(close) => (
        <>
          {items.map(({ key, icon, act }) => (
            <DisclosureItem
              key={key}
              icon={<Icon name={icon} />}
              onClick={() => {
                close();
                if (isOnline) act();
              }}
            >
              {needs(t(`channels.action.${key}`))}
            </DisclosureItem>
          ))}
          <LastRun kind="tests" run={runs.runs?.tests} />
          <LastRun kind="balances" run={runs.runs?.balances} />
        </>
      )}
    </Disclosure>
  );
}

function LastRun({ kind, run }: { kind: ChannelRunKind; run: ChannelRun | null | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (run == null || run.state === 'running') return null;
  const inserts = { time: format.dateTime(run.ended_at), done: format.count(run.done), failed: format.count(run.failed) };
  return (
    <p className={`${typography.note} ${styles.last}`}>
      {t(`channels.run.last_${kind}`, inserts)}
      {run.state === 'stopped' && ` ${t('channels.run.stopped')}`}
      {run.disabled > 0 && ` ${t('channels.run.disabled', { count: run.disabled })}`}
      {run.enabled > 0 && ` ${t('channels.run.enabled', { count: run.enabled })}`}
    </p>
  );
}
