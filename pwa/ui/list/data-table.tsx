import { Button } from '@mantine/core';
import type { CSSProperties, MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from './columns.tsx';
import type { DataListProps, SortState } from './data-list.tsx';
import { shownRows } from './shown-rows.ts';
import control from '#pwa/ui/styles/control.module.css';
import styles from './data-table.module.css';
import { pageSizes, rememberPageSize, windowPageSize } from './list-search.ts';
import type { PagerProps } from './pager.tsx';
import { columnWidths, useFittingColumns } from './fitting-columns.ts';
import { useAfter } from '#pwa/ui/frame/query-state.tsx';
import { useRowsInSteps } from './rows-in-steps.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { GroupRow } from './group-row.tsx';
import { TableRow } from './table-row.tsx';
import { Checkbox } from './checkbox.tsx';

export interface RowsProps<Row, Key extends string | number> extends DataListProps<Row, Key> {
  cursor: string | undefined;
  onCursor: (key: string) => void;
}

/** Of the column of ticks; a finger needs a wider one. */
const tickWidth = { desk: 48, touched: 56 };
const skeletonRows = 10;
/** Rows that a high window has more room than. */
const mostOfShortPage = 20;
const none: never[] = [];

export function DataTable<Row, Key extends string | number>(props: RowsProps<Row, Key>) {
  const { label, rows, rowKey, selection, sort, isTwoLine = false } = props;
  const { t } = useTranslation();
  const tick = useIsTouched() ? tickWidth.touched : tickWidth.desk;
  const drawn = useRowsInSteps(rows ?? none, rowKey);
  const ticks = selection === undefined ? 0 : 1;
  const isWaiting = rows === undefined || (drawn === 0 && rows.length > 0);
  const measured = isWaiting ? 'none' : drawn === rows.length ? 'all' : 'some';
  const { frame, table, columns } = useFittingColumns(props, { fixed: ticks * tick, measured });
  const shown = new Set(columns.map((column) => column.key));
  // Rows hold the cells of all columns, so that no row is redrawn when the width changes; style hides those that do not fit.
  const left = props.columns.flatMap((column, place) => (shown.has(column.key) ? [] : [place + ticks + 1]));
  const last = props.columns.findLastIndex((column) => shown.has(column.key)) + ticks + 1;
  const template: CSSProperties & Record<'--columns', string> = {
    '--columns': [...(ticks === 0 ? [] : [`${tick}px`]), ...columnWidths(columns)].join(' '),
  };
  const pageKeys = shownRows(props).map(rowKey);
  const ticked = pageKeys.filter((key) => selection?.keys.has(key) === true).length;

  return (
    <div className={styles.scroll} ref={frame} data-scroll-restoration-id={`list ${label}`}>
      <table
        className={[styles.table, styles[`end${last}`], ...left.map((place) => styles[`left${place}`])].join(' ')}
        ref={table}
        aria-label={label}
        data-two-line={isTwoLine || undefined}
        style={template}
      >
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col">
                <Checkbox
                  label={t('common.list.tick_page')}
                  isTicked={ticked > 0 && ticked === pageKeys.length}
                  isMixed={ticked > 0 && ticked < pageKeys.length}
                  onChange={() => selection.set(pageKeys, ticked < pageKeys.length)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading
                key={column.key}
                column={column}
                cell={ticks + props.columns.findIndex(({ key }) => key === column.key)}
                sort={sort}
              />
            ))}
          </tr>
        </thead>
        {isWaiting ? (
          <SkeletonRows columns={columns} hasTicks={selection !== undefined} />
        ) : (
          <Body {...props} rows={rows} drawn={drawn} shown={columns} />
        )}
        {rows !== undefined && props.total !== undefined && (
          <tfoot>
            <GroupRow group={props.total} columns={columns} ticks={ticks} isTotal />
          </tfoot>
        )}
      </table>
      {rows !== undefined && props.pager !== undefined && <LargerPage pager={props.pager} />}
    </div>
  );
}

/** A short page leaves space: where its rows end, one press chooses and stores the next size. */
function LargerPage({ pager }: { pager: PagerProps }) {
  const { t } = useTranslation();
  const larger = pageSizes.find((size) => size > pager.size);
  const hasMore = pager.cursor === true ? pager.hasOlder || pager.hasNewer : pager.total > pager.size || pager.isLowerBound === true;
  const isShort = pager.size <= mostOfShortPage && pager.size < windowPageSize();
  if (larger === undefined || !isShort || !hasMore) return null;
  return (
    <Button
      variant="subtle"
      className={styles.larger}
      onClick={() => {
        rememberPageSize(larger);
        pager.onSize(larger);
      }}
    >
      {t('common.pager.larger', { count: larger })}
    </Button>
  );
}

interface HeadingProps<Row> {
  column: Column<Row>;
  /** Place of its cell in a row, from 0: rows hold those without room as well. */
  cell: number;
  sort: SortState | undefined;
}

function Heading<Row>({ column, cell, sort }: HeadingProps<Row>) {
  const by = column.sort;
  const isSorted = by !== undefined && sort?.by === by;
  return (
    <th
      scope="col"
      data-column={column.key}
      data-cell={cell}
      data-align={column.align}
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {by === undefined || sort === undefined ? (
        column.heading
      ) : (
        <button type="button" className={`${control.bare} ${styles.sort}`} onClick={() => sort.onSort(by)}>
          {column.heading}
          {isSorted && <span aria-hidden="true">{sort.isDescending ? ' ↓' : ' ↑'}</span>}
        </button>
      )}
    </th>
  );
}

function Body<Row, Key extends string | number>(
  props: RowsProps<Row, Key> & { rows: readonly Row[]; drawn: number; shown: readonly Column<Row>[] },
) {
  const {
    rows,
    columns,
    rowKey,
    rowName,
    open,
    onOpen,
    selection,
    group,
    cursor,
    onCursor,
    isMuted,
    drawn,
    shown,
    isTwoLine = false,
  } = props;

  const handlePress = useStableHandler((event: MouseEvent<HTMLTableRowElement>, key: Key) => {
    onCursor(String(key));
    // Links, buttons and boxes inside a row do their own thing; so does marking text.
    if (event.target instanceof Element && event.target.closest('a, button, input, label, select') !== null) return;
    if (getSelection()?.isCollapsed === false) return;
    onOpen?.(String(key));
  });
  const handleFocus = useStableHandler((key: Key) => onCursor(String(key)));
  const handleTick = useStableHandler((key: Key) => selection?.toggle(key));

  // The room of the rows to come: the scroll bar has its length from the start. Not a row: that would move as they come.
  const room = `calc(${rows.length - drawn} * var(${isTwoLine ? '--row-2' : '--row'}))`;
  return (
    <tbody style={drawn < rows.length ? { paddingBottom: room } : undefined} aria-busy={drawn < rows.length || undefined}>
      {rows.slice(0, drawn).map((row, index) => {
        const key = rowKey(row);
        const name = String(key);
        const day = group?.(row);
        const before = index === 0 || group === undefined ? undefined : rows[index - 1];
        const startsGroup = day !== undefined && (before === undefined || group?.(before).key !== day.key);
        return [
          startsGroup && <GroupRow key={`group-${day.key}`} group={day} columns={shown} ticks={selection === undefined ? 0 : 1} />,
          day?.isFolded !== true && (
            <TableRow
              key={name}
              row={row}
              rowKey={key}
              name={selection === undefined ? '' : rowName(row)}
              columns={columns}
              isOpen={open === name}
              isTicked={selection === undefined ? undefined : selection.keys.has(key)}
              isMuted={isMuted?.(row) === true}
              isReached={cursor === name || (cursor === undefined && index === 0)}
              opens={onOpen !== undefined}
              onPress={handlePress}
              onFocus={handleFocus}
              onTick={handleTick}
            />
          ),
        ];
      })}
    </tbody>
  );
}

function SkeletonRows<Row>({ columns, hasTicks }: { columns: readonly Column<Row>[]; hasTicks: boolean }) {
  const isShown = useAfter(200);
  return (
    <tbody className={styles.skeleton} data-shown={isShown || undefined} aria-hidden="true" aria-busy="true">
      {Array.from({ length: skeletonRows }, (_row, index) => (
        <tr key={index} className={styles.row}>
          {hasTicks && <td />}
          {columns.map((column, place) => (
            <td key={column.key} data-align={column.align}>
              <i style={{ width: `${70 - ((index * 17 + place * 29) % 40)}%` }} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
