import { useTranslation } from 'react-i18next';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { channelType } from '#shared/channel-types.ts';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { isSwitchable, isTested } from './channel-summary.ts';

export type RowCommand = 'test_model' | 'balance' | 'toggle' | 'edit' | 'keys' | 'copy' | 'delete';

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
        actions: commands
          .filter((command) => command !== 'balance' || reportsBalance(channel))
          .filter((command) => command !== 'test_model' || isTested(channel))
          .filter((command) => command !== 'toggle' || isSwitchable(channel))
          .filter((command) => command !== 'delete' || channel.managed_by === undefined)
          .map((command) => {
            const needsNetwork = command !== 'edit' && command !== 'keys' && !isOnline;
            return {
              key: command,
              label: needsNetwork ? needs(name(command)) : name(command),
              isDisabled: needsNetwork,
              isDanger: command === 'delete',
              onClick: () => onCommand(command),
            };
          }),
      })}
    />
  );
}

export function reportsBalance({ type }: Pick<Channel, 'type'>): boolean {
  return channelType(type)?.reportsBalance === true;
}
