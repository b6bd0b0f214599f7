import { useLayoutEffect, useRef, useState } from 'react';
import type { ColumnRoom } from './column-room.ts';
import type { Column } from './columns.tsx';

const flexibleWidth = 150;

interface Listed<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  room?: ColumnRoom;
}

interface FittingOptions {
  /** Pixels that other cells take. */
  fixed: number;
  /** Which rows stand: figures are measured again when there are more. */
  measured: 'none' | 'some' | 'all';
}

/** The columns that the width has room for: those of least importance leave first. None of them cuts a figure. */
export function useFittingColumns<Row>({ columns, rows, room }: Listed<Row>, { fixed, measured }: FittingOptions) {
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
  const without = columns.filter((column) => !shown.some((one) => one.key === column.key)).map((column) => column.key);
  useLayoutEffect(() => room?.tell(without));
  const headings = shown.map((column) => column.heading).join('\n');
  const done = useRef<{ rows: unknown; measured: string; headings: Set<string> }>(undefined);
  useLayoutEffect(() => {
    if (table.current === null || measured === 'none') return;
    const before = done.current;
    const isSame = before !== undefined && before.rows === rows && before.measured === measured;
    const known = isSame ? before : { rows, measured, headings: new Set<string>() };
    done.current = known;
    // Measuring lays the whole page out at once: what was measured of these rows is left out, so columns that leave cost nothing.
    const found = figureWidths(table.current, known.headings);
    // A column retains the largest width that it has needed: columns that come and leave with every page are worse than a gap.
    setNeeded((old) => {
      const grown = found.filter(([key, least]) => least > (old.get(key) ?? 0));
      return grown.length === 0 ? old : new Map([...old, ...grown]);
    });
  }, [rows, measured, headings]);

  return { frame, table, columns: shown };
}

/** As a grid wants them. Columns without a width share what is left; without such columns all of them do. */
export function columnWidths<Row>(columns: readonly Column<Row>[]): string[] {
  const isRigid = columns.every(({ width }) => width !== undefined);
  return columns.map((column) => {
    const least = leastWidth(column);
    return column.width !== undefined && !isRigid ? `${least}px` : `minmax(${least}px, ${isRigid ? least : 1}fr)`;
  });
}

/**
 * How wide the columns of figures and of buttons have to be. Of each only the heading, the longest text and the first cell with
 * buttons are measured: rows out of sight have no layout, and a hundred of them would take long to get one.
 */
function figureWidths(table: HTMLTableElement, done: Set<string>): [key: string, width: number][] {
  const rows = [...table.querySelectorAll('tr[data-row-key]')];
  const heads = [...table.querySelectorAll<HTMLElement>('thead [data-column][data-align="end"]')].filter(
    ({ textContent }) => !done.has(textContent),
  );
  for (const { textContent } of heads) done.add(textContent);
  const parts = heads.map((head) => {
    const cells = rows.flatMap((row) => row.children[Number(head.dataset.cell)] ?? []);
    return {
      key: head.dataset.column ?? '',
      head,
      longest: cells.reduce<Element>((most, cell) => (textLength(most) < textLength(cell) ? cell : most), head),
      // To a finger they are wider than at a desk.
      pressed: cells.find((cell) => cell.querySelector('button') !== null) ?? head,
    };
  });
  return parts.map(({ key, head, longest, pressed }) => [key, Math.ceil(Math.max(...[head, longest, pressed].map(neededWidth)))]);
}

function neededWidth(cell: Element): number {
  const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(cell);
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getBoundingClientRect().width + Number.parseFloat(paddingInlineStart) + Number.parseFloat(paddingInlineEnd);
}

function textLength(cell: Element): number {
  return cell.textContent.length;
}

function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  const parts = columns.flatMap((column) => {
    const least = leastWidth(column);
    const whole = { column, width: least, leave: column.leave };
    return column.comfort === undefined
      ? [whole]
      : [whole, { comfortOf: column, width: column.comfort.width - least, leave: column.comfort.leave }];
  });
  let needed = parts.reduce((sum, part) => sum + part.width, 0);
  const leaving = parts.filter((part) => part.leave !== undefined).sort((one, other) => (one.leave ?? 0) - (other.leave ?? 0));
  const gone = new Set<Column<Row>>();
  const tight = new Set<Column<Row>>();
  while (needed > width) {
    const last = leaving.pop();
    if (last === undefined) break;
    needed -= last.width;
    if ('column' in last) gone.add(last.column);
    else tight.add(last.comfortOf);
  }
  return columns
    .filter((column) => !gone.has(column))
    .map((column) => {
      const { width: least, comfort } = column;
      return least === undefined || comfort === undefined || tight.has(column) ? column : { ...column, width: comfort.width };
    });
}

function leastWidth<Row>(column: Column<Row>): number {
  return column.width ?? column.least ?? flexibleWidth;
}
