import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';

export type RowCommand = 'test_model' | 'toggle' | 'edit' | 'copy' | 'delete';

interface ChannelMenuProps {
  channel: Channel;
  isOnline: boolean;
  commands: readonly RowCommand[];
  onCommand: (command: RowCommand) => void;
}

export function ChannelMenu({ channel, isOnline, commands, onCommand }: ChannelMenuProps) {
  const { t } = useTranslation();
  const needs = useNeedsConnection();
  const name = (command: RowCommand): string => {
    if (command !== 'toggle') return t(`channels.action.${command}`);
    return t(channel.status === ChannelStatus.enabled ? 'channels.action.disable' : 'channels.action.enable');
  };
  return (
    <RowMenu
      label={t('channels.action.more', { name: channel.name })}
      width={200}
      content={() => ({
        actions: commands.map((command) => {
          const needsNetwork = command !== 'edit' && !isOnline;
          return {
            key: command,
            label: command === 'edit' ? name(command) : needs(name(command)),
            isDisabled: needsNetwork,
            isDanger: command === 'delete',
            onClick: () => onCommand(command),
          };
        }),
      })}
    />
  );
}
