import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { Column } from './columns.tsx';
import styles from './data-cards.module.css';
import type { RowsProps } from './data-table.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { NumberedPager } from './pager.tsx';
import { useAfter } from '#pwa/ui/frame/query-state.tsx';
import { useRowsInSteps } from './rows-in-steps.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { memoRow } from './table-row.tsx';
import { Checkbox } from './checkbox.tsx';

const skeletonCards = 6;
/** In pixels. */
const cardHeight = 61;
const none: never[] = [];

/** The same columns as two-line cards. A tap opens the record; while choosing, it ticks. */
export function DataCards<Row, Key extends string | number>(props: RowsProps<Row, Key>) {
  const { label, rows, rowKey, selection, group } = props;
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  const isTicking = selection !== undefined && (isChoosing || selection.keys.size > 0);
  const drawn = useRowsInSteps(rows ?? none, rowKey);
  const handleOpen = useStableHandler((key: Key) => props.onOpen?.(String(key)));
  const handleTick = useStableHandler((key: Key) => selection?.toggle(key));
  if (rows === undefined || (drawn === 0 && rows.length > 0)) return <SkeletonCards />;

  function handleChoosing(): void {
    selection?.clear();
    setChoosing(!isTicking);
  }
  return (
    <>
      {selection !== undefined && (
        <div className={`${layout.spread} ${styles.choose}`}>
          <span>{props.pager !== undefined && props.pager.cursor !== true && <Total {...props.pager} />}</span>
          <Button variant="subtle" aria-pressed={isTicking} onClick={handleChoosing}>
            {t(isTicking ? 'common.list.choose_end' : 'common.list.choose')}
          </Button>
        </div>
      )}
      <ul className={styles.cards} aria-label={label} aria-busy={drawn < rows.length || undefined}>
        {rows.slice(0, drawn).map((row, index) => {
          const key = rowKey(row);
          const name = String(key);
          const day = group?.(row);
          const before = index === 0 || group === undefined ? undefined : rows[index - 1];
          const startsGroup = day !== undefined && (before === undefined || group?.(before).key !== day.key);
          return [
            startsGroup && (
              <li key={`group-${day.key}`} className={styles.group}>
                <span>{day.label}</span>
                <span>{day.sum}</span>
              </li>
            ),
            day?.isFolded !== true && (
              <Card
                key={name}
                row={row}
                rowKey={key}
                name={isTicking ? props.rowName(row) : ''}
                columns={props.columns}
                isOpen={props.open === name}
                isTicked={isTicking ? selection?.keys.has(key) : undefined}
                isMuted={props.isMuted?.(row) === true}
                opens={props.onOpen !== undefined}
                onOpen={handleOpen}
                onTick={handleTick}
              />
            ),
          ];
        })}
        {props.total !== undefined && drawn === rows.length && (
          <li className={styles.total}>
            <span>{props.total.label}</span>
            <span>{props.total.sum}</span>
          </li>
        )}
        {drawn < rows.length && (
          // The room of the cards to come: the scroll bar has its length from the start.
          <li aria-hidden="true" style={{ height: (rows.length - drawn) * cardHeight }} />
        )}
      </ul>
    </>
  );
}

function Total({ total, isLowerBound }: NumberedPager) {
  const { t } = useTranslation();
  const format = useFormat();
  return t(isLowerBound === true ? 'common.list.total_at_least' : 'common.list.total', { total: format.count(total) });
}

interface CardProps<Row, Key extends string | number> {
  row: Row;
  rowKey: Key;
  /** Names the tick box. */
  name: string;
  columns: readonly Column<Row>[];
  isOpen: boolean;
  /** Undefined: nothing is being ticked. */
  isTicked: boolean | undefined;
  isMuted: boolean;
  opens: boolean;
  onOpen: (key: Key) => void;
  onTick: (key: Key) => void;
}

const Card = memoRow(<Row, Key extends string | number>(props: CardProps<Row, Key>) => {
  const { row, rowKey, columns, isTicked, onOpen, onTick } = props;
  const { t } = useTranslation();
  const title = partsOf(columns, 'title', row);
  // While choosing, the box has its place.
  const picture = isTicked === undefined ? columns.find(({ card }) => card === 'picture') : undefined;
  return (
    <li
      className={styles.card}
      data-open={props.isOpen || undefined}
      data-muted={props.isMuted || undefined}
      data-ticking={isTicked !== undefined || undefined}
      data-pictured={picture !== undefined || undefined}
    >
      {picture !== undefined && <span className={styles.picture}>{picture.cell(row)}</span>}
      {isTicked !== undefined && (
        <span className={styles.tick}>
          <Checkbox label={t('common.list.tick_row', { name: props.name })} isTicked={isTicked} onChange={() => onTick(rowKey)} />
        </span>
      )}
      {isTicked !== undefined ? (
        // The box is the control; the card around it is a larger target for it.
        <span className={`${typography.ellipsis} ${control.bare} ${styles.title}`} onClick={() => onTick(rowKey)}>
          {title}
        </span>
      ) : props.opens ? (
        <button
          type="button"
          className={`${typography.ellipsis} ${control.bare} ${styles.title}`}
          data-row-key={String(rowKey)}
          onClick={() => onOpen(rowKey)}
        >
          {title}
        </button>
      ) : (
        <span className={`${typography.ellipsis} ${control.bare} ${styles.title}`}>{title}</span>
      )}
      <span className={styles.amount}>{partsOf(columns, 'amount', row)}</span>
      <span className={`${typography.compact} ${typography.ellipsis} ${styles.context}`}>{partsOf(columns, 'context', row)}</span>
      <span className={`${typography.compact} ${typography.ellipsis} ${styles.note}`}>{partsOf(columns, 'note', row)}</span>
    </li>
  );
});

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
    <ul className={styles.skeleton} data-shown={isShown || undefined} aria-hidden="true" aria-busy="true">
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
