import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns.tsx';
import styles from './data-cards.module.css';
import type { RowsProps } from './data-table.tsx';
import { useFormat } from './format-context.ts';
import type { NumberedPager } from './pager.tsx';
import { useAfter } from './query-state.tsx';
import { TickBox } from './tick-box.tsx';

const skeletonCards = 6;

/** The same columns as two-line cards. A tap opens the record; while choosing, it ticks. */
export function DataCards<Row, Key extends string | number>(props: RowsProps<Row, Key>) {
  const { label, rows, selection } = props;
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  const isTicking = isChoosing || (selection?.keys.size ?? 0) > 0;
  if (rows === undefined) return <SkeletonCards />;

  function handleChoosing(): void {
    selection?.clear();
    setChoosing(!isTicking);
  }
  return (
    <>
      {selection !== undefined && (
        <div className={styles.choose}>
          <span>{props.pager !== undefined && props.pager.cursor !== true && <Total {...props.pager} />}</span>
          <Button variant="subtle" aria-pressed={isTicking} onClick={handleChoosing}>
            {t(isTicking ? 'common.list.choose_end' : 'common.list.choose')}
          </Button>
        </div>
      )}
      <ul className={styles.cards} aria-label={label}>
        {rows.map((row, index) => (
          <Card
            key={String(props.rowKey(row))}
            {...props}
            row={row}
            before={index === 0 ? undefined : rows[index - 1]}
            isTicking={isTicking}
          />
        ))}
      </ul>
    </>
  );
}

function Total({ total, isLowerBound }: NumberedPager) {
  const { t } = useTranslation();
  const format = useFormat();
  return t(isLowerBound === true ? 'common.list.total_at_least' : 'common.list.total', { total: format.count(total) });
}

function Card<Row, Key extends string | number>(props: RowsProps<Row, Key> & { row: Row; before: Row | undefined; isTicking: boolean }) {
  const { row, before, columns, rowKey, rowName, open, onOpen, selection, group, isMuted, isTicking } = props;
  const { t } = useTranslation();
  const key = rowKey(row);
  const name = String(key);
  const day = group?.(row);
  const startsGroup = day !== undefined && (before === undefined || group?.(before).key !== day.key);
  const isTicked = selection?.keys.has(key) === true;
  const title = partsOf(columns, 'title', row);
  return (
    <>
      {startsGroup && (
        <li className={styles.group}>
          <span>{day.label}</span>
          <span>{day.sum}</span>
        </li>
      )}
      <li
        className={styles.card}
        data-open={open === name || undefined}
        data-muted={isMuted?.(row) === true || undefined}
        data-ticking={isTicking || undefined}
      >
        {isTicking && selection !== undefined && (
          <span className={styles.tick}>
            <TickBox label={t('common.list.tick_row', { name: rowName(row) })} isTicked={isTicked} onChange={() => selection.toggle(key)} />
          </span>
        )}
        {isTicking && selection !== undefined ? (
          // The box is the control; the card around it is a larger target for it.
          <span className={styles.title} onClick={() => selection.toggle(key)}>
            {title}
          </span>
        ) : onOpen === undefined ? (
          <span className={styles.title}>{title}</span>
        ) : (
          <button type="button" className={styles.title} data-row-key={name} onClick={() => onOpen(name)}>
            {title}
          </button>
        )}
        <span className={styles.amount}>{partsOf(columns, 'amount', row)}</span>
        <span className={styles.context}>{partsOf(columns, 'context', row)}</span>
        <span className={styles.note}>{partsOf(columns, 'note', row)}</span>
      </li>
    </>
  );
}

function partsOf<Row>(columns: readonly Column<Row>[], place: Column<Row>['card'], row: Row): ReactNode {
  const parts = columns
    .filter((column) => column.card === place)
    .map((column) => ({ key: column.key, part: column.cell(row) }))
    .filter(({ part }) => part !== null && part !== undefined && part !== '' && part !== false);
  return parts.map(({ key, part }, index) => (
    <span key={key} className={styles.part}>
      {index > 0 && ' · '}
      {part}
    </span>
  ));
}

function SkeletonCards() {
  const isShown = useAfter(200);
  return (
    <ul className={styles.skeleton} data-shown={isShown || undefined} aria-hidden="true">
      {Array.from({ length: skeletonCards }, (_card, index) => (
        <li key={index} className={styles.card}>
          <i style={{ width: 100 + ((index * 37) % 70) }} />
          <i style={{ width: 64 }} />
          <i style={{ width: 60 + ((index * 23) % 50), height: 8 }} />
        </li>
      ))}
    </ul>
  );
}
