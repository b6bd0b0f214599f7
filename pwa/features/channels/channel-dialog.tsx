import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import type { ChannelActions } from './use-channel-actions.ts';
import type { ChannelTests } from './use-channel-tests.ts';

const ManyDialog = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./many-dialog.tsx'), loadTexts('channel')]);
    return part;
  },
  (part) => part.ManyDialog,
);
const TestDialog = lazyPart(
  () => import('./test-dialog.tsx'),
  (part) => part.TestDialog,
);

/** Action that needs a confirmation. */
type Question =
  | { kind: 'copy'; channel: Channel }
  | { kind: 'delete_disabled' }
  | { kind: 'disable_tag'; tag: string; count: number }
  | { kind: 'repair' };

export type ChannelAction =
  | Question
  | { kind: 'test_model'; channel: Channel }
  | { kind: 'edit_many'; of: { ids: number[] } | { tag: string; ids: number[] } };

interface ChannelDialogProps<Asked> {
  asked: Asked;
  actions: ChannelActions;
  tests: ChannelTests;
  onOpen: (open: string | undefined) => void;
  onClose: () => void;
}

export function ChannelDialog({ asked, ...props }: ChannelDialogProps<ChannelAction>) {
  const { actions, tests, onClose } = props;
  if (asked.kind === 'test_model') return <TestDialog channel={asked.channel} tests={tests} onClose={onClose} />;
  if (asked.kind === 'edit_many') return <ManyDialog of={asked.of} actions={actions} onClose={onClose} />;
  return <QuestionDialog asked={asked} {...props} />;
}

function QuestionDialog({ asked: action, actions, onOpen, onClose }: ChannelDialogProps<Question>) {
  const { t } = useTranslation();
  const texts = useQuestionTexts(action);
  return (
    <ConfirmDialog
      opened
      {...texts}
      isDanger={action.kind === 'delete_disabled'}
      onConfirm={() =>
        handleYes()
          .catch(() => {
            // The mutation has reported it already.
          })
          .finally(onClose)
      }
      onCancel={onClose}
    />
  );

  async function handleYes(): Promise<void> {
    if (action.kind === 'copy') {
      const id = await actions.copy(action.channel.id, (name) => t('channels.copy.name', { name }));
      toastSuccess(t('channels.copy.done'));
      if (id !== undefined) onOpen(String(id));
      return;
    }
    if (action.kind === 'delete_disabled') {
      await actions.removeDisabled();
      return;
    }
    if (action.kind === 'disable_tag') {
      await actions.setTag(action.tag, false);
      return;
    }
    toastSuccess(t('channels.repair.done', { count: await actions.repair() }));
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
    case 'disable_tag':
      return {
        title: t('channels.tag.disable_title', { tag: asked.tag }),
        text: t('channels.tag.disable_text', { count: asked.count }),
        confirmLabel: t('channels.action.disable_tag'),
      };
    case 'repair':
      return {
        title: t('channels.repair.title'),
        text: t('channels.repair.text'),
        confirmLabel: t('channels.action.repair'),
      };
    case 'delete_disabled':
      return {
        title: t('channels.delete.title_disabled'),
        text: t('channels.delete.text_disabled'),
        confirmLabel: t('channels.action.delete_disabled'),
      };
  }
}
