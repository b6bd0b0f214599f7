import { type Channel, ChannelStatus } from '#shared/channels.ts';
import type { AskedOfChannels } from './channel-dialog.tsx';
import { type FiguresView, useChannelFigures } from './channel-figures.ts';
import type { RowCommand } from './channel-menu.tsx';
import { type ChannelActions, useChannelActions } from './use-channel-actions.ts';
import { type ChannelRunsView, useChannelRuns } from './use-channel-runs.ts';
import { type ChannelTests, useChannelTests } from './use-channel-tests.ts';

/** What list and editor know of channels beyond their records, and what they can do with them. */
export interface ChannelControls {
  actions: ChannelActions;
  tests: ChannelTests;
  figures: FiguresView;
  runs: ChannelRunsView;
  onCommand: (command: RowCommand, channel: Channel) => void;
}

interface ControlOptions {
  /** When the list was read, in milliseconds. */
  listAt: number;
  onOpen: (open: string) => void;
  onAsk: (asked: AskedOfChannels) => void;
}

export function useChannelControls({ listAt, onOpen, onAsk }: ControlOptions): ChannelControls {
  const actions = useChannelActions();
  const tests = useChannelTests();
  const figures = useChannelFigures(listAt);
  const runs = useChannelRuns();

  function handleCommand(command: RowCommand, channel: Channel): void {
    if (command === 'edit') onOpen(String(channel.id));
    // A failure has been toasted.
    else if (command === 'toggle') void actions.setStatus(channel, channel.status !== ChannelStatus.enabled).catch(() => {});
    else if (command === 'balance') void actions.updateBalance(channel).catch(() => {});
    else onAsk({ kind: command, channel });
  }
  return { actions, tests, figures, runs, onCommand: handleCommand };
}
