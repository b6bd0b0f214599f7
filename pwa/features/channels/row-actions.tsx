import { ActionIcon } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { Icon } from '#pwa/ui/icon.tsx';
import { lazyPart } from '#pwa/ui/lazy-part.tsx';
import styles from './row-actions.module.css';
import type { RowCommand } from './channel-menu.tsx';
import { type ChannelTests, useTestResult } from './use-channel-tests.ts';

const ChannelMenu = lazyPart(
  () => import('./channel-menu.tsx'),
  (part) => part.ChannelMenu,
);

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
  return (
    <span className={styles.actions}>
      <ActionIcon
        aria-label={testName}
        title={isOnline ? t('channels.action.test') : t('channels.action.test_offline')}
        loading={isTesting}
        disabled={!isOnline}
        onClick={() => void tests.test(channel)}
      >
        <Icon name="pulse" />
      </ActionIcon>
      <ChannelMenu
        channel={channel}
        isOnline={isOnline}
        onCommand={(command) => onCommand(command, channel)}
        commands={['test_model', 'toggle', 'edit', 'copy', 'delete']}
      />
    </span>
  );
}
