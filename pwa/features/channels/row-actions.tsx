import { ActionIcon, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { Icon } from '#pwa/ui/icon.tsx';
import styles from './row-actions.module.css';

export type RowCommand = 'test_model' | 'toggle' | 'edit' | 'copy' | 'delete';

interface RowActionsProps {
  channel: Channel;
  isOnline: boolean;
  isTesting: boolean;
  onTest: () => void;
  onCommand: (command: RowCommand) => void;
}

export function RowActions({ channel, isOnline, isTesting, onTest, onCommand }: RowActionsProps) {
  const { t } = useTranslation();
  const testName = t('channels.action.test_named', { name: channel.name });
  return (
    <span className={styles.actions}>
      <ActionIcon
        aria-label={testName}
        title={isOnline ? t('channels.action.test') : t('channels.action.test_offline')}
        loading={isTesting}
        disabled={!isOnline}
        onClick={onTest}
      >
        <Icon name="pulse" />
      </ActionIcon>
      <ChannelMenu
        channel={channel}
        isOnline={isOnline}
        onCommand={onCommand}
        commands={['test_model', 'toggle', 'edit', 'copy', 'delete']}
      />
    </span>
  );
}

interface ChannelMenuProps {
  channel: Channel;
  isOnline: boolean;
  commands: readonly RowCommand[];
  onCommand: (command: RowCommand) => void;
}

export function ChannelMenu({ channel, isOnline, commands, onCommand }: ChannelMenuProps) {
  const { t } = useTranslation();
  const name = (command: RowCommand): string => {
    if (command !== 'toggle') return t(`channels.action.${command}`);
    return t(channel.status === ChannelStatus.enabled ? 'channels.action.disable' : 'channels.action.enable');
  };
  return (
    <Menu position="bottom-end" width={200} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label={t('channels.action.more', { name: channel.name })}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {commands.map((command) => {
          const needsNetwork = command !== 'edit' && !isOnline;
          return (
            <Menu.Item
              key={command}
              disabled={needsNetwork}
              data-danger={command === 'delete' || undefined}
              onClick={() => onCommand(command)}
            >
              {needsNetwork ? t('common.action.needs_connection', { action: name(command) }) : name(command)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
