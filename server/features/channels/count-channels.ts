import { ChannelStatus, type ChannelSummary } from '#shared/channels.ts';

/** How many channels are in use and how many are not, by who disabled them. */
export function countChannels(channels: Iterable<{ status: number }>): ChannelSummary {
  const counts: ChannelSummary = { enabled: 0, disabled_by_hand: 0, disabled_by_system: 0 };
  for (const { status } of channels) {
    if (status === ChannelStatus.enabled) counts.enabled += 1;
    else if (status === ChannelStatus.disabledBySystem) counts.disabled_by_system += 1;
    else counts.disabled_by_hand += 1;
  }
  return counts;
}
