import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import type { ChannelActions } from './use-channel-actions.ts';
import type { ChannelTests } from './use-channel-tests.ts';

const TestDialog = lazyPart(
  () => import('./test-dialog.tsx'),
  (part) => part.TestDialog,
);

/** What is asked about before it is done. */
type Question =
  | { kind: 'delete'; channel: Channel }
  | { kind: 'copy'; channel: Channel }
  | { kind: 'delete_many'; ids: number[] }
  | { kind: 'delete_disabled' };

export type AskedOfChannels = Question | { kind: 'test_model'; channel: Channel };

interface ChannelDialogProps<Asked> {
  asked: Asked;
  actions: ChannelActions;
  tests: ChannelTests;
  /** The channel in the editor; it closes when that one is deleted. */
  open: string | undefined;
  onOpen: (open: string | undefined) => void;
  onDeleted: () => void;
  onClose: () => void;
}

export function ChannelDialog({ asked, ...props }: ChannelDialogProps<AskedOfChannels>) {
  if (asked.kind !== 'test_model') return <QuestionDialog asked={asked} {...props} />;
  return <TestDialog channel={asked.channel} tests={props.tests} onClose={props.onClose} />;
}

function QuestionDialog({ asked, actions, open, onOpen, onDeleted, onClose }: ChannelDialogProps<Question>) {
  const { t } = useTranslation();
  const texts = useQuestionTexts(asked);
  return (
    <ConfirmDialog
      opened
      {...texts}
      isDanger={asked.kind !== 'copy'}
      onConfirm={() =>
        handleYes()
          .catch(() => {
            // The mutation has told it already.
          })
          .finally(onClose)
      }
      onCancel={onClose}
    />
  );

  async function handleYes(): Promise<void> {
    if (asked.kind === 'copy') {
      const id = await actions.copy(asked.channel.id, (name) => t('channels.copy.name', { name }));
      toastSuccess(t('channels.copy.done'));
      if (id !== undefined) onOpen(String(id));
      return;
    }
    if (asked.kind === 'delete_disabled') {
      toastSuccess(t('channels.delete.done', { count: await actions.removeDisabled() }));
      return;
    }
    const ids = asked.kind === 'delete' ? [asked.channel.id] : asked.ids;
    if (ids.some((id) => String(id) === open)) onOpen(undefined);
    const count = await actions.remove(ids);
    onDeleted();
    if (asked.kind === 'delete_many') toastSuccess(t('channels.delete.done', { count }));
  }
}

function useQuestionTexts(asked: Question): { title: string; text: ReactNode; confirmLabel: string } {
  const { t } = useTranslation();
  switch (asked.kind) {
    case 'copy':
      return {
        title: t('channels.copy.title', { name: asked.channel.name }),
        text: t('channels.copy.text'),
        confirmLabel: t('channels.action.copy'),
      };
    case 'delete':
      return {
        title: t('channels.delete.title', { name: asked.channel.name }),
        text: t('channels.delete.text'),
        confirmLabel: t('channels.action.delete'),
      };
    case 'delete_many':
      return {
        title: t('channels.delete.title_many', { count: asked.ids.length }),
        text: t('channels.delete.text'),
        confirmLabel: t('channels.delete.confirm_many', { count: asked.ids.length }),
      };
    case 'delete_disabled':
      return {
        title: t('channels.delete.title_disabled'),
        text: t('channels.delete.text_disabled'),
        confirmLabel: t('channels.action.delete_disabled'),
      };
  }
}
