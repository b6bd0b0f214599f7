import { ActionIcon, Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import styles from './row-table.module.css';

/** A setting as rows: a heading above each column at a desk, a card for each row on a phone. */
export function RowTable({ label, columns, children }: { label: string; columns: readonly string[]; children: ReactNode }) {
  return (
    <div className={styles.table} data-columns={columns.length}>
      <div className={styles.head} aria-hidden="true">
        {columns.map((column) => (
          <span key={column}>{column}</span>
        ))}
        <span />
      </div>
      <ul aria-label={label}>{children}</ul>
    </div>
  );
}

/** What a field is about, where rows are cards. Read aloud it has a name of its own. */
export function CardLabel({ children }: { children: string }) {
  return (
    <span className={styles.cardLabel} aria-hidden="true">
      {children}
    </span>
  );
}

interface RowProps {
  /** Read aloud with each of its buttons. */
  name: string;
  cells: ReactNode;
  /** Buttons before the one that removes it. */
  more?: ReactNode;
  onRemove?: (() => void) | undefined;
}

export function Row({ name, cells, more, onRemove }: RowProps) {
  const { t } = useTranslation();
  return (
    <li className={styles.row}>
      {cells}
      <span className={styles.buttons}>
        {more}
        {onRemove !== undefined && (
          <ActionIcon aria-label={t('setting_parts.rows.remove', { name })} onClick={onRemove}>
            <Icon name="trash" />
          </ActionIcon>
        )}
      </span>
    </li>
  );
}

interface AddRowProps {
  label: string;
  /** Names that are there already. */
  taken: readonly string[];
  onAdd: (name: string) => void;
}

/** A further row begins with its name. */
export function AddRow({ label, taken, onAdd }: AddRowProps) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const isTaken = taken.includes(trimmed);
  function add(): void {
    if (trimmed === '' || isTaken) return;
    onAdd(trimmed);
    setName('');
  }
  return (
    <div className={styles.add}>
      <TextInput
        aria-label={label}
        placeholder={label}
        value={name}
        error={isTaken ? t('setting_parts.rows.taken') : undefined}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <Button disabled={trimmed === '' || isTaken} onClick={add}>
        {t('setting_parts.rows.add')}
      </Button>
    </div>
  );
}
