import { ActionIcon, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { Icon } from '#pwa/ui/icon.tsx';

export type RowCommand = 'test_model' | 'toggle' | 'edit' | 'copy' | 'delete';

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
