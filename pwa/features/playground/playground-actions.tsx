// What the playground offers besides asking: beside its title, and on a phone around the model and the question.
import { ActionIcon, Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { useStore } from '#pwa/ui/store.ts';
import { askFirstOnly } from './ask.ts';
import { chooseModels, newConversation, playground } from './conversations-state.ts';
import { ChatIcon } from './icons.tsx';
import { useSum } from './use-sum.ts';
import styles from './playground.module.css';
import { countSetMedia } from './media-settings.ts';
import { countSet } from './request-body.ts';

/** What opens over the conversation, or beside it. */
export type Part = 'parameters' | 'conversations' | 'export';

interface ModelsProps {
  isRunning: boolean;
  offered: readonly string[];
}

interface ActionsProps extends ModelsProps {
  /** The parameters stand beside the conversation already. */
  isWide: boolean;
  onOpen: (part: Part) => void;
}

export function Actions({ isRunning, isWide, offered, onOpen }: ActionsProps) {
  const { t } = useTranslation();
  const { open } = useStore(playground);
  const beside = useBeside(offered);
  const isChat = kindOfModel(open.models[0] ?? '') === 'chat';
  const title = useParametersTitle();
  return (
    <>
      <ActionIcon
        aria-label={t('playground.conversation.all')}
        title={t('playground.conversation.all')}
        onClick={() => onOpen('conversations')}
      >
        <Icon name="list" />
      </ActionIcon>
      {!isWide && (
        <Button variant="subtle" leftSection={<Icon name="filter" />} onClick={() => onOpen('parameters')}>
          {title}
        </Button>
      )}
      <ActionIcon
        aria-label={t('playground.model.beside')}
        title={t('playground.model.beside')}
        aria-pressed={beside.isOn}
        disabled={isRunning || !beside.canTurn}
        onClick={beside.turn}
      >
        <ChatIcon name="beside" />
      </ActionIcon>
      {isChat && (
        <ActionIcon aria-label={t('playground.export.open')} title={t('playground.export.open')} onClick={() => onOpen('export')}>
          <ChatIcon name="code" />
        </ActionIcon>
      )}
      <ActionIcon
        aria-label={t('playground.conversation.new')}
        title={t('playground.conversation.new')}
        disabled={open.turns.length === 0}
        onClick={newConversation}
      >
        <Icon name="plus" />
      </ActionIcon>
    </>
  );
}

/** Beside the model: the parameters with how many are set, and the rest behind one button. */
export function PhoneActions({ onOpen }: { onOpen: (part: Part) => void }) {
  const { t } = useTranslation();
  const { open } = useStore(playground);
  const count = useSetCount();
  const title = useParametersTitle();
  const sum = useSum(open);
  const isChat = kindOfModel(open.models[0] ?? '') === 'chat';
  return (
    <span className={styles.phoneActions}>
      <Button className={styles.parametersButton ?? ''} variant="subtle" aria-label={title} onClick={() => onOpen('parameters')}>
        <Icon name="filter" />
        {count > 0 && <span>{count}</span>}
      </Button>
      <RowMenu
        label={t('playground.more')}
        width={216}
        content={() => ({
          note: sum,
          actions: [
            {
              key: 'new',
              label: t('playground.conversation.new'),
              isDisabled: open.turns.length === 0,
              onClick: newConversation,
            },
            { key: 'all', label: t('playground.conversation.all'), onClick: () => onOpen('conversations') },
            ...(isChat ? [{ key: 'export', label: t('playground.export.open'), onClick: () => onOpen('export') }] : []),
          ],
        })}
      />
    </span>
  );
}

/** On a phone beside the question, which it asks of two. */
export function BesideButton({ isRunning, offered }: ModelsProps) {
  const { t } = useTranslation();
  const beside = useBeside(offered);
  return (
    <Button
      className={styles.beside ?? ''}
      variant="subtle"
      aria-label={t('playground.model.beside')}
      aria-pressed={beside.isOn}
      disabled={isRunning || !beside.canTurn}
      leftSection={<ChatIcon name="beside" />}
      onClick={beside.turn}
    >
      {t('playground.model.beside_short')}
    </Button>
  );
}

/** Parameters that are set, of those that the model's kind has. */
function useSetCount(): number {
  const { models, settings } = useStore(playground).open;
  const [model = ''] = models;
  const kind = kindOfModel(model) ?? 'chat';
  return kind === 'chat' ? countSet(settings) : countSetMedia(kind, model, settings.media) + (settings.group === '' ? 0 : 1);
}

function useParametersTitle(): string {
  const { t } = useTranslation();
  const count = useSetCount();
  return count === 0 ? t('playground.parameter.title') : t('playground.parameter.title_count', { count });
}

/** A second model, and back to one. */
function useBeside(offered: readonly string[]) {
  const { open } = useStore(playground);
  const isOn = open.models.length > 1;
  const kind = kindOfModel(open.models[0] ?? '');
  const other =
    offered.find((name) => kindOfModel(name) === kind && !open.models.includes(name)) ?? (kind === 'chat' ? open.models[0] : undefined);
  function turn(): void {
    if (isOn) askFirstOnly();
    else if (other !== undefined) chooseModels([...open.models, other]);
  }
  return { isOn, canTurn: isOn || other !== undefined, turn };
}
