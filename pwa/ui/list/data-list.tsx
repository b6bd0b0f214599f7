// The one list of the console: a real table at a desk, cards of the same columns on a phone. What it shows (page, size,
// sort, filters, open record) is the screen's, and lives in the address.
import { type ComponentType, type ReactNode, use, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { AgePlace } from '#pwa/ui/frame/age-place.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { ColumnRoom } from './column-room.ts';
import type { Column } from './columns.tsx';
import { DataCards } from './data-cards.tsx';
import styles from './data-list.module.css';
import { DataTable, type RowsProps } from './data-table.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useListKeys } from './list-keys.ts';
import { EmptyList, type EmptyText, ListFoot } from './list-parts.tsx';
import type { PagerProps } from './pager.tsx';
import { LoadFailure, NotOnDevice, type QueryLike } from '#pwa/ui/frame/query-state.tsx';
import type { AllRows } from './select-all.tsx';
import type { Selection } from './selection.ts';
import { shownRows } from './shown-rows.ts';

export interface RowGroup {
  key: string;
  label: ReactNode;
  sum?: ReactNode;
  /** In a table, in place of the sum: figures by the key of the column that they stand under. */
  cells?: Readonly<Record<string, ReactNode>>;
  /** Its rows are not shown; one of them is listed for the place of its heading. */
  isFolded?: boolean;
}

export interface SortState {
  by: string;
  isDescending: boolean;
  /** Called with a column's `sort`; the screen turns the order when it is the same again. */
  onSort: (by: string) => void;
}

export interface DataListProps<Row, Key extends string | number> {
  /** What is listed; the table's name. */
  label: string;
  query: QueryLike<unknown>;
  /** Undefined while there are none to show. */
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  /** Store of a `ColumnPicker` that receives the columns without space. */
  room?: ColumnRoom;
  rowKey: (row: Row) => Key;
  /** What one calls the row: names its tick box. */
  rowName: (row: Row) => string;
  /** Key of the open record, as the address has it. */
  open?: string | undefined;
  onOpen?: (key: string | undefined) => void;
  selection?: Selection<Key>;
  bulkActions?: ReactNode;
  /** What "all" means beyond this page. */
  allRows?: AllRows | undefined;
  /** Rows of the same group stand under its heading. */
  group?: (row: Row) => RowGroup;
  /** What all rows come to, those of other pages too: ends the list. */
  total?: RowGroup;
  sort?: SortState;
  isTwoLine?: boolean;
  isMuted?: (row: Row) => boolean;
  empty: EmptyText;
  filtersSet?: number;
  onClearFilters?: () => void;
  pager?: PagerProps;
  /** Draws the rows in a way of its own, such as a gallery. Absent: a table or cards. */
  rowsAs?: ComponentType<RowsProps<Row, Key>> | undefined;
}

export function DataList<Row, Key extends string | number>(props: DataListProps<Row, Key>) {
  const { query, rows, rowKey, open, onOpen, selection } = props;
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const [cursor, setCursor] = useState<string>();
  const keys = shownRows(props).map((row) => String(rowKey(row)));

  function handleCursor(key: string): void {
    setCursor(key);
    rowOf(key)?.focus();
  }
  useFocusBack(open);
  const ticked = selection?.keys.size ?? 0;
  useFocusBack(ticked > 0 ? (cursor ?? keys[0]) : undefined);
  useListKeys({
    keys,
    cursor,
    open,
    onCursor: handleCursor,
    onOpen: onOpen === undefined ? undefined : (key) => (key !== undefined && key === open ? enterPanel() : onOpen(key)),
    onToggle: selection === undefined ? undefined : (key) => toggleByName(key),
    onClear: selection !== undefined && selection.keys.size > 0 ? selection.clear : undefined,
  });
  function toggleByName(key: string): void {
    const row = rows?.find((one) => String(rowKey(one)) === key);
    if (row !== undefined) selection?.toggle(rowKey(row));
  }

  const shown = query.dataUpdatedAt === 0 ? '' : t('common.load.rows_from', { time: format.clock(Math.floor(query.dataUpdatedAt / 1000)) });
  const failure =
    query.error === null ? null : (
      <div className={styles.state}>
        <LoadFailure
          what={props.label}
          error={query.error}
          onRetry={() => void query.refetch()}
          {...(rows === undefined || shown === '' ? {} : { shown })}
        />
      </div>
    );
  const isMissing = rows === undefined && query.error === null && query.fetchStatus === 'paused';
  const isEmpty = rows !== undefined && rows.length === 0;
  // There is nothing to turn over. A page beyond the last one of a list that has some leads back by its pager.
  const isNothing = isEmpty && props.pager?.cursor !== true && (props.pager?.total ?? 0) === 0;
  const Rows: ComponentType<RowsProps<Row, Key>> = props.rowsAs ?? (isPhone ? DataCards : DataTable);

  return (
    <div className={styles.list} data-list aria-busy={query.fetchStatus === 'fetching'}>
      {rows !== undefined && <ListAge query={query} />}
      {failure}
      {isMissing && (
        <div className={styles.state}>
          <NotOnDevice />
        </div>
      )}
      {isEmpty && (
        <div className={styles.state}>
          <EmptyList {...props.empty} filtersSet={props.filtersSet ?? 0} onClearFilters={props.onClearFilters} />
        </div>
      )}
      {!isMissing && !isEmpty && (rows !== undefined || failure === null) && <Rows {...props} cursor={cursor} onCursor={setCursor} />}
      {selection !== undefined && <Ticked count={ticked} />}
      <ListFoot
        selected={ticked}
        onClear={selection?.clear}
        bulkActions={props.bulkActions}
        allRows={props.allRows}
        pager={rows === undefined || isNothing ? undefined : props.pager}
        hasPanel={onOpen !== undefined}
      />
    </div>
  );
}

function rowOf(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(key)}"]`);
}

/** Moves the focus into the open panel, past the rows in between. */
function enterPanel(): void {
  document.querySelector<HTMLElement>('main ~ aside')?.focus();
}

/** Once a panel has closed, or the bar of what is ticked, the focus that was in it goes to the row that it was about. */
function useFocusBack(open: string | undefined): void {
  const shown = useRef(open);
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = open;
    if (before === undefined || open !== undefined) return;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body || activeElement.closest('aside') !== null) rowOf(before)?.focus();
  }, [open]);
}

/** For screen readers only: the bulk bar shows it. */
function Ticked({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <p className="visually-hidden" role="status">
      {count > 0 && t('common.list.selected', { count })}
    </p>
  );
}

/** At the top right of the screen. On a phone the chip in the top bar says how old what comes from a live server is. */
function ListAge({ query }: { query: QueryLike<unknown> }) {
  const place = use(AgePlace);
  const isPhone = useIsPhone();
  const isStale = query.error !== null || query.fetchStatus === 'paused';
  if (isPhone && !isStale) return null;
  const age = <AsOf at={query.dataUpdatedAt} isStale={isStale} />;
  if (place === undefined) return <div className={styles.age}>{age}</div>;
  return place === null ? null : createPortal(age, place);
}
