import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Conversation } from '#pwa/offline/conversation.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { stop } from './ask.ts';
import { deleteConversation, openConversation } from './conversations-state.ts';
import styles from './conversation-list.module.css';

interface ConversationListProps {
  stored: readonly Conversation[];
  openId: string;
  onClose: () => void;
}

/** Conversations that are stored on this device. */
export function ConversationList({ stored, openId, onClose }: ConversationListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [leaving, setLeaving] = useState<Conversation | null>(null);
  return (
    <SidePanel title={t('playground.conversation.all')} onClose={onClose} takesFocus>
      <p className={typography.note}>{t('playground.conversation.where')}</p>
      {stored.length === 0 && <p>{t('playground.conversation.none')}</p>}
      <ul className={styles.conversations}>
        {stored.map((conversation) => (
          <li key={conversation.id}>
            <button
              type="button"
              className={`${control.bare} ${layout.fill} ${styles.conversation}`}
              aria-current={conversation.id === openId || undefined}
              onClick={() => {
                openConversation(conversation.id);
                onClose();
              }}
            >
              <span className={typography.ellipsis}>{conversation.title || t('playground.conversation.untitled')}</span>
              <span className={typography.note}>
                {`${conversation.models.join(', ')} · ${t('playground.conversation.turns', { count: conversation.turns.length })} · ${format.dateTime(conversation.updatedAt / 1000)}`}
              </span>
            </button>
            <ActionIcon
              variant="subtle"
              aria-label={t('playground.conversation.delete', { title: conversation.title })}
              onClick={() => setLeaving(conversation)}
            >
              <Icon name="trash" />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        opened={leaving !== null}
        title={t('playground.conversation.delete_title')}
        text={t('playground.conversation.delete_text', { title: leaving?.title ?? '' })}
        confirmLabel={t('common.action.delete')}
        isDanger
        onCancel={() => setLeaving(null)}
        onConfirm={async () => {
          if (leaving === null) return;
          stop(leaving.id);
          await deleteConversation(leaving.id);
          setLeaving(null);
        }}
      />
    </SidePanel>
  );
}
