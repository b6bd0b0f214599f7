import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { kindOfModel, type ModelKind } from '#pwa/api/chat-models.ts';
import styles from './playground.module.css';

interface ModelSelectProps {
  label: string;
  model: string;
  offered: readonly string[];
  disabled: boolean;
  onChoose: (model: string) => void;
}

/** A model of those that the group offers; one that it does not offer any more stays until another is chosen. */
export function ModelSelect({ label, model, offered, disabled, onChoose }: ModelSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      className={styles.modelField ?? ''}
      aria-label={label}
      placeholder={t('playground.model.choose')}
      searchable
      // It covers what it is chosen for: by Tab it is only passed.
      openOnFocus={false}
      nothingFoundMessage={t('playground.model.none')}
      disabled={disabled}
      data={grouped(offered.includes(model) || model === '' ? offered : [model, ...offered], (kind) => t(`playground.kind.${kind}`))}
      value={model === '' ? null : model}
      onChange={(name) => name !== null && onChoose(name)}
      // What is typed then looks for another one, in place of what is chosen.
      onClick={({ currentTarget }) => currentTarget.select()}
    />
  );
}

const order = ['chat', 'picture', 'video', 'speech', 'transcript'] as const;

/** Under what they make, where that is more than one thing. */
function grouped(names: readonly string[], label: (kind: ModelKind) => string) {
  const found = Map.groupBy(names, (name) => kindOfModel(name) ?? 'chat');
  if (found.size < 2) return [...names];
  return order.flatMap((kind) => (found.has(kind) ? [{ group: label(kind), items: found.get(kind) ?? [] }] : []));
}
