import { memo, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns.tsx';
import styles from './data-table.module.css';
import { Checkbox } from './checkbox.tsx';

interface TableRowProps<Row, Key extends string | number> {
  row: Row;
  rowKey: Key;
  /** Names the tick box. */
  name: string;
  columns: readonly Column<Row>[];
  isOpen: boolean;
  /** Undefined: rows of this list are not ticked. */
  isTicked: boolean | undefined;
  isMuted: boolean;
  /** Where the tab key enters the list. */
  isReached: boolean;
  opens: boolean;
  onPress: (event: MouseEvent<HTMLTableRowElement>, key: Key) => void;
  onFocus: (key: Key) => void;
  onTick: (key: Key) => void;
}

function Row<Row, Key extends string | number>(props: TableRowProps<Row, Key>): ReactNode {
  const { row, rowKey, columns, isOpen, isTicked, onPress, onFocus, onTick } = props;
  const { t } = useTranslation();
  return (
    <tr
      className={styles.row}
      data-row-key={String(rowKey)}
      data-open={isOpen || undefined}
      data-ticked={isTicked === true || undefined}
      data-muted={props.isMuted || undefined}
      data-opens={props.opens || undefined}
      aria-current={isOpen ? 'true' : undefined}
      tabIndex={props.isReached ? 0 : -1}
      onClick={(event) => onPress(event, rowKey)}
      onFocus={(event) => {
        if (event.target === event.currentTarget) onFocus(rowKey);
      }}
    >
      {isTicked !== undefined && (
        <td className={styles.cell1}>
          <Checkbox label={t('common.list.tick_row', { name: props.name })} isTicked={isTicked} onChange={() => onTick(rowKey)} />
        </td>
      )}
      {columns.map((column, place) => (
        <td key={column.key} className={styles[`cell${place + (isTicked === undefined ? 1 : 2)}`]} data-align={column.align}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Redrawn only after a change of this row: a key press touches two rows, not a hundred. */
export const TableRow = memoRow(Row);

/** For a row or card that is given a record and columns. Columns are the same when they draw the same, however wide they are. */
export function memoRow<Part extends (props: never) => ReactNode>(part: Part): Part;
export function memoRow(part: (props: object) => ReactNode): unknown {
  return memo(part, sameRow);
}

function sameRow(before: object, after: object): boolean {
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return false;
  return names.every((name) => {
    const [one, other]: unknown[] = [Reflect.get(before, name), Reflect.get(after, name)];
    if (name === 'columns' && Array.isArray(one) && Array.isArray(other)) return drawSame(one, other);
    return Object.is(one, other);
  });
}

function drawSame(before: readonly Column<unknown>[], after: readonly Column<unknown>[]): boolean {
  if (before === after) return true;
  return (
    before.length === after.length &&
    before.every((column, place) => {
      const other = after[place];
      return column.key === other?.key && column.cell === other.cell && column.align === other.align && column.card === other.card;
    })
  );
}
