import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import styles from './row-actions.module.css';
import { ChannelMenu, type RowCommand } from './channel-menu.tsx';
import { isTested } from './channel-summary.ts';
import { type ChannelTests, useTestResult } from './use-channel-tests.ts';

interface RowActionsProps {
  channel: Channel;
  isOnline: boolean;
  tests: ChannelTests;
  onCommand: (command: RowCommand, channel: Channel) => void;
}

export function RowActions({ channel, isOnline, tests, onCommand }: RowActionsProps) {
  const { t } = useTranslation();
  const isTesting = useTestResult(tests, channel.id)?.state === 'running';
  const testName = t('channels.action.test_named', { name: channel.name });
  const canTest = isTested(channel);
  const title = t(!canTest ? 'channels.test.orders' : isOnline ? 'channels.action.test' : 'channels.action.test_offline');
  return (
    <span className={styles.actions}>
      <PlainIconButton
        label={testName}
        title={title}
        isBusy={isTesting}
        disabled={!isOnline || !canTest}
        onClick={() => void tests.test(channel)}
      >
        <Icon name="pulse" />
      </PlainIconButton>
      <ChannelMenu
        channel={channel}
        isOnline={isOnline}
        onCommand={(command) => onCommand(command, channel)}
        commands={['test_model', 'balance', 'toggle', 'edit', 'keys', 'copy', 'delete']}
      />
    </span>
  );
}
