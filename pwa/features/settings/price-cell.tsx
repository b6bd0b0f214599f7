import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { shownNumber } from './price-edits.ts';
import { isSamePrice } from './price-rows.ts';
import styles from './price-table.module.css';

interface PriceCellProps {
  group: string;
  /** The first of its group stands apart from the one before. */
  isFirst: boolean;
  label: string;
  model: string;
  value: number | undefined;
  was: number | undefined;
  /** What is stored for a text; undefined: nothing else than what is shown. */
  ratioOf: (text: string) => number | undefined;
  isPrice: boolean;
  note: string | undefined;
  disabled: boolean;
  fault: string | undefined;
  /** False: the text stays, with what is wrong about it. */
  onTyped: (text: string) => boolean;
  onReverted: () => void;
}

/** Enter and leaving store the typed value; Esc restores the old one. */
export function PriceCell({
  group,
  isFirst,
  label,
  model,
  value,
  was,
  ratioOf,
  isPrice,
  note,
  disabled,
  fault,
  onTyped,
  onReverted,
}: PriceCellProps) {
  const [text, setText] = useState<string>();
  const [hasFocus, setFocus] = useState(false);
  const isReverting = useRef(false);
  const exact = value === undefined ? '' : String(value);
  const shown = shownNumber(value, { isPrice });
  const isChanged = !isSamePrice(value, was);
  const isTyped = text !== undefined && text.trim() !== exact;

  function handleFocus(input: HTMLInputElement): void {
    setFocus(true);
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
    <label className={styles.cell} data-group={group} data-first={isFirst || undefined} data-changed={isChanged || undefined}>
      <input
        aria-label={`${model} ${label}`}
        aria-invalid={(fault !== undefined && text !== undefined) || undefined}
        inputMode="decimal"
        autoComplete="off"
        title={note ?? (Number(shown) === (value ?? 0) ? undefined : exact)}
        disabled={disabled}
        value={text ?? shown}
        onFocus={(event) => handleFocus(event.currentTarget)}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => {
          setFocus(false);
          handleLeave();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            // It stores the cell; the form is saved by its button.
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
      {(fault !== undefined || (hasFocus && (isTyped || isChanged))) && (
        <Changed fault={fault} was={was} ratio={ratioOf(text ?? exact)} isPrice={isPrice} />
      )}
    </label>
  );
}

interface ChangedProps extends Pick<PriceCellProps, 'fault' | 'was' | 'isPrice'> {
  ratio: number | undefined;
}

/** What was there, what is stored for what is typed, and what is wrong about it. */
function Changed({ fault, was, ratio, isPrice }: ChangedProps) {
  const { t } = useTranslation();
  return (
    <span className={styles.pop}>
      {fault !== undefined && (
        <span className={styles.fault} role="alert">
          {fault}
        </span>
      )}
      <span className={styles.pair}>
        {t('prices.was')} <span>{was === undefined ? t('prices.not_set') : shownNumber(was, { isPrice })}</span>
      </span>
      {ratio !== undefined && (
        <span className={styles.pair}>
          {t('prices.as_ratio')} <span>{shownNumber(ratio, { isPrice: false })}</span>
        </span>
      )}
      <span className={styles.keys} aria-hidden="true">
        <kbd>Enter</kbd> <kbd>Esc</kbd>
      </span>
    </span>
  );
}
