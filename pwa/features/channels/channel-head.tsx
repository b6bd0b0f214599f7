import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { statusInfo, statusName, testState } from './channel-summary.ts';
import type { FiguresView } from './channel-figures.ts';
import styles from './channel-form.module.css';
import { ChannelMenu, type RowCommand } from './channel-menu.tsx';
import { useFigureSummary } from './figure-cells.tsx';
import type { ChannelActions } from './use-channel-actions.ts';
import type { ChannelTests } from './use-channel-tests.ts';

interface ChannelHeadProps {
  channel: Channel;
  actions: ChannelActions;
  tests: ChannelTests;
  figures: FiguresView;
  onCommand: (command: RowCommand, channel: Channel) => void;
}

/** How the channel does, why it is in that state, and what can be done about it. */
export function ChannelHead({ channel, actions, tests, figures, onCommand }: ChannelHeadProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const name = statusName(channel.status);
  const info = statusInfo(channel);
  const isEnabled = channel.status === ChannelStatus.enabled;
  const result = tests.resultOf(channel.id);
  const test = testState(channel, result);
  const figureFacts = useFigureSummary(figures, channel.id);
  return (
    <>
      <section className={styles.state} data-status={name}>
        <div className={styles.stateLine}>
          <StatusMark status={name} strong>
            {t(`channels.status.${name}`)}
          </StatusMark>
          {!isEnabled && info.at !== 0 && <span>{format.dateTime(info.at)}</span>}
          {name === 'off' && info.by !== '' && <span>{t('channels.status.by', { name: info.by })}</span>}
        </div>
        {!isEnabled && info.reason !== '' && <p className={styles.reason}>{info.reason}</p>}
        <div className={styles.stateActions}>
          <Button
            leftSection={<Icon name="pulse" />}
            disabled={!isOnline}
            loading={result?.state === 'running'}
            onClick={() => void tests.test(channel)}
          >
            {t('channels.action.test')}
          </Button>
          <Button
            disabled={!isOnline}
            loading={actions.busyId === channel.id}
            // A failure has been toasted.
            onClick={() => void actions.setStatus(channel, !isEnabled).catch(() => {})}
          >
            {t(isEnabled ? 'channels.action.disable' : 'channels.action.enable')}
          </Button>
          <span className={styles.space} />
          <ChannelMenu
            channel={channel}
            isOnline={isOnline}
            commands={['test_model', 'copy', 'delete']}
            onCommand={(command) => onCommand(command, channel)}
          />
        </div>
        {(test.state === 'failed' || result?.state === 'ok') && (
          <p className={styles.result} role="status">
            {test.state === 'failed' ? (
              <>
                <StatusMark status="failed">{t('channels.test.failed')}</StatusMark>
                <span>{test.message}</span>
              </>
            ) : (
              test.state === 'ok' && (
                <StatusMark status="on">
                  {t('channels.test.ok', { name: channel.name, time: format.duration(test.milliseconds) })}
                </StatusMark>
              )
            )}
          </p>
        )}
      </section>
      <SummaryList
        items={[
          ...figureFacts,
          { name: t('channels.column.used'), value: format.quota(channel.used_quota) },
          ...(channel.balance_updated_time === 0 ? [] : [{ name: t('channels.column.left'), value: format.usd(channel.balance) }]),
          {
            name: t('channels.column.response_time'),
            value:
              test.state === 'ok' ? (
                `${format.duration(test.milliseconds)} · ${t(`channels.tier.${test.tier}`)}`
              ) : test.state === 'failed' ? (
                <StatusMark status="failed">{t('channels.test.failed')}</StatusMark>
              ) : test.state === 'running' ? (
                t('channels.test.running')
              ) : (
                t('channels.tier.untested')
              ),
          },
          ...(channel.test_time === 0 ? [] : [{ name: t('channels.column.test_time'), value: format.dateTime(channel.test_time) }]),
          { name: t('channels.fact.created'), value: format.dateTime(channel.created_time) },
        ]}
      />
    </>
  );
}
