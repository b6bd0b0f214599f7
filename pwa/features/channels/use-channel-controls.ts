import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import type { ChannelAction } from './channel-dialog.tsx';
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
  /** The open channel is deleted: discarding its edits needs no confirmation. */
  isOpenGone: boolean;
  onCommand: (command: RowCommand, channel: Channel) => void;
  /** At once. `name`: of the only one. */
  onDelete: (ids: number[], name?: string) => void;
}

interface ControlOptions {
  /** When the list was read, in milliseconds. */
  listAt: number;
  /** The channel in the editor, which closes when that one is deleted. */
  open: string | undefined;
  onOpen: (open: string | undefined) => void;
  onAsk: (action: ChannelAction) => void;
  onDeleted: () => void;
}

export function useChannelControls({ listAt, open, onOpen, onAsk, onDeleted }: ControlOptions): ChannelControls {
  const actions = useChannelActions();
  const tests = useChannelTests();
  const figures = useChannelFigures(listAt);
  const runs = useChannelRuns();
  const navigate = useNavigate();
  const [gone, setGone] = useState<string>();
  // With its undo the channel can be opened again.
  if (gone !== undefined && gone !== open) setGone(undefined);

  function handleCommand(command: RowCommand, channel: Channel): void {
    if (command === 'edit') onOpen(String(channel.id));
    else if (command === 'keys') void navigate({ to: '/channel-keys/$id', params: { id: String(channel.id) } });
    // A failure has been toasted.
    else if (command === 'toggle') void actions.setStatus(channel, channel.status !== ChannelStatus.enabled).catch(() => {});
    else if (command === 'balance') void actions.updateBalance(channel).catch(() => {});
    else if (command === 'delete') handleDelete([channel.id], channel.name);
    else onAsk({ kind: command, channel });
  }

  // The user may have opened another channel during the request.
  const closeGone = useStableHandler((ids: readonly number[]): void => {
    if (!ids.some((id) => String(id) === open)) return;
    // The guard has to know before the panel closes.
    flushSync(() => setGone(open));
    onOpen(undefined);
  });
  function handleDelete(ids: number[], name?: string): void {
    // A failure has been toasted.
    void actions.remove(ids, { name, onGone: () => closeGone(ids) }).then(onDeleted, () => {});
  }
  return { actions, tests, figures, runs, isOpenGone: gone !== undefined, onCommand: handleCommand, onDelete: handleDelete };
}
