import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { kindOfModel } from '#pwa/api/chat-models.ts';
import type { Conversation } from '#pwa/offline/conversation.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { chooseModels } from './conversations-state.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import styles from './playground.module.css';
import { useSum } from './use-sum.ts';

const ModelSelect = lazyPart(
  () => import('./model-select.tsx'),
  (part) => part.ModelSelect,
  <span className={styles.modelSpace} />,
);

interface ModelBarProps {
  conversation: Conversation;
  /** Names that the group offers. */
  offered: readonly string[];
  isRunning: boolean;
  /** On a phone, one of two is shown at a time. */
  shown: number | null;
  /** On a phone at the end of the bar, in place of the sum. */
  actions?: ReactNode;
}

/** Which models answer, each over its column, with what they have cost so far. */
export function ModelBar({ conversation, offered, isRunning, shown, actions }: ModelBarProps) {
  const { t } = useTranslation();
  const { models } = conversation;
  const columns = models.map((_model, column) => column).filter((column) => shown === null || column === shown);
  function choose(column: number, name: string): void {
    const chosen = models.map((model, place) => (place === column ? name : model));
    // Only models of one kind answer side by side.
    chooseModels(column === 0 ? chosen.filter((model) => kindOfModel(model) === kindOfModel(name)) : chosen);
  }
  return (
    // Closing one of two leaves the focus here.
    <div
      className={styles.models}
      role="group"
      aria-label={t('playground.model.group')}
      tabIndex={-1}
      style={{ gridTemplateColumns: `repeat(${Math.max(1, columns.length)}, minmax(0, 1fr))` }}
    >
      {columns.map((column) => {
        const model = models[column] ?? '';
        return (
          <div key={column} className={`${layout.row} ${styles.model}`}>
            <ModelSelect
              label={models.length > 1 ? t('playground.model.numbered', { number: column + 1 }) : t('playground.model.label')}
              model={model}
              offered={column === 0 ? offered : offered.filter((name) => kindOfModel(name) === kindOfModel(models[0] ?? ''))}
              disabled={isRunning}
              onChoose={(name) => choose(column, name)}
            />
            {!actions && <Sum conversation={conversation} column={column} />}
            {models.length > 1 && (
              <ActionIcon
                variant="subtle"
                aria-label={t('playground.model.close', { model })}
                disabled={isRunning}
                onClick={() => chooseModels(models.filter((_model, place) => place !== column))}
              >
                <Icon name="close" />
              </ActionIcon>
            )}
            {actions}
          </div>
        );
      })}
    </div>
  );
}

function Sum({ conversation, column }: { conversation: Conversation; column: number }) {
  const sum = useSum(conversation, column);
  return sum === undefined ? null : <span className={`${typography.ellipsis} ${styles.sum}`}>{sum}</span>;
}
