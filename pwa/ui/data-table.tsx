import { type MouseEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns.tsx';
import type { DataListProps, SortState } from './data-list.tsx';
import styles from './data-table.module.css';
import { useAfter } from './query-state.tsx';
import { TickBox } from './tick-box.tsx';

export interface RowsProps<Row, Key extends string | number> extends DataListProps<Row, Key> {
  cursor: string | undefined;
  onCursor: (key: string) => void;
}

const tickWidth = 48;
const flexibleWidth = 150;
const skeletonRows = 10;

export function DataTable<Row, Key extends string | number>(props: RowsProps<Row, Key>) {
  const { label, rows, rowKey, selection, sort, isTwoLine = false } = props;
  const { t } = useTranslation();
  const { frame, table, columns } = useFitting(props, selection === undefined ? 0 : tickWidth);
  const span = columns.length + (selection === undefined ? 0 : 1);
  const pageKeys = rows?.map(rowKey) ?? [];
  const ticked = pageKeys.filter((key) => selection?.keys.has(key) === true).length;

  return (
    <div className={styles.scroll} ref={frame} data-scroll-restoration-id={`list ${label}`}>
      <table className={styles.table} ref={table} aria-label={label} data-two-line={isTwoLine || undefined}>
        <colgroup>
          {selection !== undefined && <col style={{ width: tickWidth }} />}
          {columns.map((column) => (
            <col key={column.key} style={column.width === undefined ? undefined : { width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col">
                <TickBox
                  label={t('common.list.tick_page')}
                  isTicked={ticked > 0 && ticked === pageKeys.length}
                  isMixed={ticked > 0 && ticked < pageKeys.length}
                  onChange={() => selection.set(pageKeys, ticked < pageKeys.length)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        {rows === undefined ? (
          <SkeletonRows columns={columns} hasTicks={selection !== undefined} />
        ) : (
          <Body {...props} rows={rows} columns={columns} span={span} />
        )}
      </table>
    </div>
  );
}

function Heading<Row>({ column, sort }: { column: Column<Row>; sort: SortState | undefined }) {
  const by = column.sort;
  const isSorted = by !== undefined && sort?.by === by;
  return (
    <th
      scope="col"
      data-column={column.key}
      data-align={column.align}
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {by === undefined || sort === undefined ? (
        column.heading
      ) : (
        <button type="button" className={styles.sort} onClick={() => sort.onSort(by)}>
          {column.heading}
          {isSorted && <span aria-hidden="true">{sort.isDescending ? ' ↓' : ' ↑'}</span>}
        </button>
      )}
    </th>
  );
}

function Body<Row, Key extends string | number>(props: RowsProps<Row, Key> & { rows: readonly Row[]; span: number }) {
  const { rows, columns, rowKey, rowName, open, onOpen, selection, group, cursor, onCursor, isMuted, span } = props;
  const { t } = useTranslation();

  function handleClick(event: MouseEvent<HTMLTableRowElement>, key: string): void {
    onCursor(key);
    // Links, buttons and boxes inside a row do their own thing; so does marking text.
    if (event.target instanceof Element && event.target.closest('a, button, input, label, select') !== null) return;
    if (getSelection()?.isCollapsed === false) return;
    onOpen?.(key);
  }

  return (
    <tbody>
      {rows.map((row, index) => {
        const key = rowKey(row);
        const name = String(key);
        const day = group?.(row);
        const before = index === 0 || group === undefined ? undefined : rows[index - 1];
        const startsGroup = day !== undefined && (before === undefined || group?.(before).key !== day.key);
        const isTicked = selection?.keys.has(key) === true;
        return [
          startsGroup && (
            <tr key={`group-${day.key}`} className={styles.group}>
              <th scope="colgroup" colSpan={span}>
                <span className={styles.groupLine}>
                  <span>{day.label}</span>
                  <span>{day.sum}</span>
                </span>
              </th>
            </tr>
          ),
          <tr
            key={name}
            className={styles.row}
            data-row-key={name}
            data-open={open === name || undefined}
            data-ticked={isTicked || undefined}
            data-muted={isMuted?.(row) === true || undefined}
            data-opens={onOpen !== undefined || undefined}
            aria-current={open === name ? 'true' : undefined}
            tabIndex={cursor === name || (cursor === undefined && index === 0) ? 0 : -1}
            onClick={(event) => handleClick(event, name)}
            onFocus={(event) => {
              if (event.target === event.currentTarget) onCursor(name);
            }}
          >
            {selection !== undefined && (
              <td>
                <TickBox
                  label={t('common.list.tick_row', { name: rowName(row) })}
                  isTicked={isTicked}
                  onChange={() => selection.toggle(key)}
                />
              </td>
            )}
            {columns.map((column) => (
              <td key={column.key} data-align={column.align}>
                {column.cell(row)}
              </td>
            ))}
          </tr>,
        ];
      })}
    </tbody>
  );
}

function SkeletonRows<Row>({ columns, hasTicks }: { columns: readonly Column<Row>[]; hasTicks: boolean }) {
  const isShown = useAfter(200);
  return (
    <tbody className={styles.skeleton} data-shown={isShown || undefined} aria-hidden="true">
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

/** The columns that the width has room for: those of least importance leave first. None of them cuts a figure. */
function useFitting<Row>({ columns, rows }: { columns: readonly Column<Row>[]; rows: readonly Row[] | undefined }, fixed: number) {
  const frame = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  const [needed, setNeeded] = useState<ReadonlyMap<string, number>>(new Map());
  useLayoutEffect(() => {
    const node = frame.current;
    if (node === null) return;
    setWidth(node.clientWidth);
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);

  const whole = columns.map((column) => {
    const least = needed.get(column.key) ?? 0;
    return column.width === undefined || column.width >= least ? column : { ...column, width: least };
  });
  const shown = fitting(whole, width - fixed);
  const headings = shown.map((column) => column.heading).join('\n');
  useLayoutEffect(() => {
    if (table.current === null || rows === undefined) return;
    const found = figureWidths(table.current);
    // What a column once needed it keeps: columns that came and went with every page would be worse than a gap.
    setNeeded((known) => {
      const grown = found.filter(([key, least]) => least > (known.get(key) ?? 0));
      return grown.length === 0 ? known : new Map([...known, ...grown]);
    });
  }, [rows, headings]);

  return { frame, table, columns: shown };
}

/** How wide the columns of figures are when nothing is cut: laid out so for a moment that nobody sees. */
function figureWidths(table: HTMLTableElement): [key: string, width: number][] {
  const heads = [...table.querySelectorAll<HTMLElement>('thead [data-column][data-align="end"]')];
  table.dataset.measured = 'true';
  const widths = heads.map((head): [string, number] => [head.dataset.column ?? '', Math.ceil(head.getBoundingClientRect().width)]);
  delete table.dataset.measured;
  return widths;
}

function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  const parts = columns.flatMap((column) => {
    const least = leastWidth(column);
    const whole = { column, width: least, leave: column.leave };
    return column.comfort === undefined ? [whole] : [whole, { width: column.comfort.width - least, leave: column.comfort.leave }];
  });
  let needed = parts.reduce((sum, part) => sum + part.width, 0);
  const leaving = parts.filter((part) => part.leave !== undefined).sort((one, other) => (one.leave ?? 0) - (other.leave ?? 0));
  const gone = new Set<Column<Row>>();
  while (needed > width) {
    const last = leaving.pop();
    if (last === undefined) break;
    needed -= last.width;
    if ('column' in last) gone.add(last.column);
  }
  return columns.filter((column) => !gone.has(column));
}

function leastWidth<Row>(column: Column<Row>): number {
  return column.width ?? column.least ?? flexibleWidth;
}
