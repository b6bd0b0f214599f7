import { ActionIcon } from '@mantine/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Checkbox } from '#pwa/ui/list/checkbox.tsx';
import {
  cellOf,
  editOf,
  isSamePrice,
  type PriceEdit,
  type PriceField,
  priceFields,
  type PriceRow as Row,
  type PriceUnit,
  shownNumber,
  typedNumber,
} from './price-rows.ts';
import styles from './price-table.module.css';

interface PriceRowProps {
  row: Row;
  /** As it is saved. */
  saved: Row;
  view: { unit: PriceUnit; quotaPerUnit: number };
  mayWrite: boolean;
  isTicked: boolean;
  onTick: () => void;
  onEdit: (edit: PriceEdit) => void;
  onRemove: () => void;
}

/** A model's prices, each typed over where it stands. */
export function PriceRow({ row, saved, view, mayWrite, isTicked, onTick, onEdit, onRemove }: PriceRowProps) {
  const { t } = useTranslation();
  const [fault, setFault] = useState<string>();
  const changed = priceFields.filter((field) => !isSamePrice(cellOf(row, field, view), cellOf(saved, field, view)));

  function handleTyped(field: PriceField, text: string): boolean {
    const value = typedNumber(text);
    const edit = value === null ? value : editOf(row, { field, value }, view);
    if (edit === null) setFault(t('prices.not_number'));
    else if (edit === 'zero_input') setFault(t('prices.zero_input'));
    else {
      setFault(undefined);
      onEdit(edit);
      return true;
    }
    return false;
  }
  return (
    // Without its prices it may leave the table: the next one has the focus then.
    <li
      className={styles.row}
      data-row-key={row.model}
      tabIndex={-1}
      data-changed={changed.length > 0 || undefined}
      data-selected={isTicked || undefined}
    >
      <Checkbox label={t('prices.tick', { model: row.model })} isTicked={isTicked} onChange={onTick} />
      <span className={styles.model}>
        {row.model}
        {row.isCompletionFixed && row.set.ModelPrice === undefined && <small>{t('prices.fixed')}</small>}
      </span>
      {priceFields.map((field) => (
        <Cell
          key={field}
          label={t(`prices.column.${view.unit}.${field}`)}
          model={row.model}
          value={cellOf(row, field, view)}
          isPrice={field === 'price' || view.unit === 'usd'}
          isChanged={changed.includes(field)}
          // A price per call wins; a built-in ratio cannot be changed.
          disabled={!mayWrite || (field !== 'price' && row.set.ModelPrice !== undefined) || (field === 'output' && row.isCompletionFixed)}
          isWrong={fault !== undefined}
          onTyped={(text) => handleTyped(field, text)}
          onReverted={() => setFault(undefined)}
        />
      ))}
      <ActionIcon
        variant="subtle"
        data-danger
        disabled={!mayWrite}
        aria-label={t('prices.remove', { model: row.model })}
        onClick={onRemove}
      >
        <Icon name="trash" />
      </ActionIcon>
      {fault !== undefined && (
        <span className={styles.fault} role="alert">
          {fault}
        </span>
      )}
    </li>
  );
}

interface CellProps {
  label: string;
  model: string;
  value: number | undefined;
  isPrice: boolean;
  isChanged: boolean;
  disabled: boolean;
  isWrong: boolean;
  /** False: the text stays, with what is wrong about it. */
  onTyped: (text: string) => boolean;
  onReverted: () => void;
}

/** Enter and leaving keep what was typed; Esc brings the old value back. */
function Cell({ label, model, value, isPrice, isChanged, disabled, isWrong, onTyped, onReverted }: CellProps) {
  const [text, setText] = useState<string>();
  const isReverting = useRef(false);
  const exact = value === undefined ? '' : String(value);
  const shown = shownNumber(value, { isPrice });

  function handleFocus(input: HTMLInputElement): void {
    // All digits are there for who edits them.
    if (text === undefined && shown !== exact) flushSync(() => setText(exact));
    input.select();
  }

  function handleLeave(): void {
    if (isReverting.current || text === undefined || text.trim() === exact) {
      isReverting.current = false;
      setText(undefined);
      return;
    }
    if (onTyped(text)) setText(undefined);
  }
  /** What leaving does, without leaving. */
  function comeBack(input: HTMLInputElement): void {
    flushSync(() => input.blur());
    input.focus({ preventScroll: true });
  }
  return (
    <label className={styles.cell} data-changed={isChanged || undefined}>
      <span aria-hidden="true">{label}</span>
      <input
        aria-label={`${model} ${label}`}
        aria-invalid={(isWrong && text !== undefined) || undefined}
        inputMode="decimal"
        autoComplete="off"
        title={Number(shown) === (value ?? 0) ? undefined : exact}
        placeholder="—"
        disabled={disabled}
        value={text ?? shown}
        onFocus={(event) => handleFocus(event.currentTarget)}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={handleLeave}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            // It keeps the cell; the form is saved by its button.
            event.preventDefault();
            comeBack(event.currentTarget);
          }
          // What is being typed is saved with the rest.
          if (event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)) handleLeave();
          if (event.key !== 'Escape') return;
          event.preventDefault();
          isReverting.current = true;
          onReverted();
          comeBack(event.currentTarget);
        }}
      />
    </label>
  );
}
