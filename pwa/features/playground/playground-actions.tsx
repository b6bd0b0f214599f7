// Actions of the playground apart from its questions: next to its title, and on a phone around the model and the question.
import { ActionIcon, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { useStore } from '#pwa/ui/store.ts';
import { askFirstOnly } from './ask.ts';
import { chooseModels, newConversation, playground } from './conversations-state.ts';
import { ChatIcon } from './icons.tsx';
import styles from './playground.module.css';
import { countSetMedia } from './media-settings.ts';
import { countSet } from './request-body.ts';

/** Parts that open over the conversation, or next to it. */
export type Part = 'parameters' | 'conversations' | 'export';

interface ModelsProps {
  isRunning: boolean;
  offered: readonly string[];
}

interface ActionsProps extends ModelsProps {
  /** The parameters are next to the conversation already. */
  isWide: boolean;
  onOpen: (part: Part) => void;
}

export function Actions({ isRunning, isWide, offered, onOpen }: ActionsProps) {
  const { t } = useTranslation();
  const { open } = useStore(playground);
  const beside = useSecondModel(offered);
  const isChat = kindOfModel(open.models[0] ?? '') === 'chat';
  const title = useParametersTitle();
  return (
    <>
      <Action
        label={t('playground.conversation.all')}
        icon={<Icon name="list" />}
        isNamed={isWide}
        onClick={() => onOpen('conversations')}
      />
      {!isWide && (
        <Button variant="subtle" leftSection={<Icon name="filter" />} onClick={() => onOpen('parameters')}>
          {title}
        </Button>
      )}
      <Action
        label={t('playground.model.beside')}
        name={t('playground.model.beside_short')}
        icon={<ChatIcon name="beside" />}
        isNamed={isWide}
        isOn={beside.isOn}
        disabled={isRunning || !beside.canTurn}
        onClick={beside.turn}
      />
      {isChat && (
        <Action label={t('playground.export.open')} icon={<ChatIcon name="code" />} isNamed={isWide} onClick={() => onOpen('export')} />
      )}
      <Action
        label={t('playground.conversation.new')}
        icon={<Icon name="plus" />}
        isNamed={isWide}
        disabled={open.turns.length === 0}
        onClick={newConversation}
      />
    </>
  );
}

interface ActionProps {
  label: string;
  /** In short, where it is longer. */
  name?: string;
  icon: ReactNode;
  /** There is room for its name. */
  isNamed: boolean;
  /** Undefined: it is not switched. */
  isOn?: boolean;
  disabled?: boolean;
  onClick: () => void;
}

function Action({ label, name = label, icon, isNamed, isOn, disabled = false, onClick }: ActionProps) {
  const shared = { 'aria-label': label, title: label, 'aria-pressed': isOn, disabled, onClick };
  if (!isNamed) return <ActionIcon {...shared}>{icon}</ActionIcon>;
  return (
    <Button {...shared} variant="subtle" leftSection={icon}>
      {name}
    </Button>
  );
}

/** On a phone next to the question, which it sends to two models. */
export function SecondModelButton({ isRunning, offered }: ModelsProps) {
  const { t } = useTranslation();
  const beside = useSecondModel(offered);
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
export function useSetCount(): number {
  const { models, settings } = useStore(playground).open;
  const [model = ''] = models;
  const kind = kindOfModel(model) ?? 'chat';
  return kind === 'chat' ? countSet(settings) : countSetMedia(kind, model, settings.media) + (settings.group === '' ? 0 : 1);
}

export function useParametersTitle(): string {
  const { t } = useTranslation();
  const count = useSetCount();
  return count === 0 ? t('playground.parameter.title') : t('playground.parameter.title_count', { count });
}

/** A second model, and back to one. */
function useSecondModel(offered: readonly string[]) {
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
