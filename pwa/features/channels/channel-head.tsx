import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { useFailing, useFailingState, useFailingText } from '#pwa/api/failing-channels.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { ManagedNote } from '#pwa/ui/controls/managed-by.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { Advice } from './advice.tsx';
import { isSwitchable, isTested, statusInfo, statusName, type TestState, testState } from './channel-summary.ts';
import styles from './channel-form.module.css';
import { ChannelMenu, reportsBalance } from './channel-menu.tsx';
import { useFigureSummary } from './figure-cells.tsx';
import type { ChannelControls } from './use-channel-controls.ts';

interface ChannelHeadProps {
  channel: Channel;
  controls: ChannelControls;
}

/** How the channel does, why it is in that state, and what can be done about it. */
export function ChannelHead({ channel, controls }: ChannelHeadProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = statusName(channel.status);
  const info = statusInfo(channel);
  const isEnabled = channel.status === ChannelStatus.enabled;
  const result = controls.tests.resultOf(channel.id);
  const test = testState(channel, result);
  const failing = useFailing(channel.id);
  const failingText = useFailingText();
  const failingState = useFailingState();
  // A failed test is shown below, with advice.
  const isFailing = failing !== undefined && failing.by !== 'test';
  return (
    <>
      <section className={`${layout.stackSm} ${styles.state}`} data-status={name}>
        <div className={`${layout.baseline} ${styles.stateLine}`}>
          <StatusMark status={name} strong>
            {t(`channels.status.${name}`)}
          </StatusMark>
          {isFailing && <StatusMark status="failed">{failingState(failing)}</StatusMark>}
          {!isEnabled && info.at !== 0 && <span>{format.dateTime(info.at)}</span>}
          {name === 'off' && info.by !== '' && <span>{t('channels.status.by', { name: info.by })}</span>}
        </div>
        {!isEnabled && info.reason !== '' && <p className={styles.reason}>{serverWords(t, info.reason)}</p>}
        {isFailing && <p className={styles.reason}>{failingText(failing)}</p>}
        <ManagedNote file={channel.managed_by} />
        <HeadActions channel={channel} controls={controls} />
        {!isTested(channel) && <p className={typography.secondary}>{t('channels.test.orders')}</p>}
        {/* A successful test is shown right after it only. */}
        {(test.state === 'failed' || result?.state === 'ok') && <TestOutcome test={test} name={channel.name} />}
      </section>
      <ChannelFacts channel={channel} controls={controls} test={test} />
    </>
  );
}

function HeadActions({ channel, controls }: ChannelHeadProps) {
  const { actions, tests, onCommand } = controls;
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isEnabled = channel.status === ChannelStatus.enabled;
  return (
    <div className={layout.wrap}>
      {isTested(channel) && (
        <Button
          leftSection={<Icon name="pulse" />}
          disabled={!isOnline}
          loading={tests.resultOf(channel.id)?.state === 'running'}
          onClick={() => void tests.test(channel)}
        >
          {t('channels.action.test')}
        </Button>
      )}
      {isSwitchable(channel) && (
        <Button
          disabled={!isOnline}
          loading={actions.busyId === channel.id}
          // A failure has been toasted.
          onClick={() => void actions.setStatus(channel, !isEnabled).catch(() => {})}
        >
          {t(isEnabled ? 'channels.action.disable' : 'channels.action.enable')}
        </Button>
      )}
      <Button renderRoot={(attributes) => <Link {...attributes} to="/channel-keys/$id" params={{ id: String(channel.id) }} />}>
        {t('channels.action.keys')}
      </Button>
      <span className={styles.space} />
      <ChannelMenu
        channel={channel}
        isOnline={isOnline}
        commands={['test_model', 'balance', 'copy', 'delete']}
        onCommand={(command) => onCommand(command, channel)}
      />
    </div>
  );
}

/** Who failed, and why; or how fast the answer was. */
function TestOutcome({ test, name }: { test: TestState; name: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <p className={styles.result} role="status">
      {test.state === 'failed' && (
        <>
          <StatusMark status="failed">{t('channels.test.failed')}</StatusMark>
          <span>{test.message}</span>
          <Advice message={test.message} className={styles.advice} />
        </>
      )}
      {test.state === 'ok' && (
        <StatusMark status="on">{t('channels.test.ok', { name, time: format.duration(test.milliseconds) })}</StatusMark>
      )}
    </p>
  );
}

function ChannelFacts({ channel, controls, test }: ChannelHeadProps & { test: TestState }) {
  const { t } = useTranslation();
  const format = useFormat();
  const figures = useFigureSummary(controls.figures, channel.id);
  return (
    <SummaryList
      items={[
        ...figures,
        { name: t('channels.column.used'), value: format.quota(channel.used_quota) },
        ...(reportsBalance(channel) || channel.balance_updated_time !== 0
          ? [{ name: t('channels.column.left'), value: <LeftBalance channel={channel} /> }]
          : []),
        { name: t('channels.column.response_time'), value: <LastTest test={test} /> },
        ...(channel.test_time === 0 ? [] : [{ name: t('channels.column.test_time'), value: format.dateTime(channel.test_time) }]),
        { name: t('channels.fact.created'), value: format.dateTime(channel.created_time) },
      ]}
    />
  );
}

/** Balance at the provider, its age, and why the last request for it failed. */
function LeftBalance({ channel }: Pick<ChannelHeadProps, 'channel'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = channel.balance_updated_time;
  return (
    <>
      {at === 0 ? t('channels.left_unknown') : `${format.usd(channel.balance)} · ${format.ago(at, Date.now() / 1000)}`}
      {channel.balance_error !== '' && (
        <span className={styles.balanceError}>
          <StatusMark status="failed">{channel.balance_error}</StatusMark>
        </span>
      )}
    </>
  );
}

function LastTest({ test }: { test: TestState }) {
  const { t } = useTranslation();
  const format = useFormat();
  switch (test.state) {
    case 'ok':
      return `${format.duration(test.milliseconds)} · ${t(`channels.tier.${test.tier}`)}`;
    case 'failed':
      return <StatusMark status="failed">{t('channels.test.failed')}</StatusMark>;
    case 'running':
      return t('channels.test.running');
    case 'untested':
      return t('channels.tier.untested');
  }
}
