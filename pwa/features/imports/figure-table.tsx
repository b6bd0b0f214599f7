import type { ReactNode } from 'react';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './imports.module.css';

export interface FigureColumn {
  key: string;
  heading: string;
}

export interface FigureRow {
  key: string;
  name: ReactNode;
  /** By the key of the column. */
  cells: Readonly<Record<string, ReactNode>>;
  /** What the figures come to: the last column, on a phone next to the name. */
  result?: ReactNode;
  isSum?: boolean;
}

interface FigureTableProps {
  heading: string;
  columns: readonly FigureColumn[];
  rows: readonly FigureRow[];
  /** Absent: rows have no result. */
  resultHeading?: string;
}

/** Figures by name: a table at a desk; on a phone each name with its figures below. */
export function FigureTable({ heading, columns, rows, resultHeading }: FigureTableProps) {
  const isPhone = useIsPhone();
  if (isPhone) {
    return (
      <section className={styles.cards} aria-label={heading}>
        <h3>{heading}</h3>
        {rows.map((row) => (
          <div key={row.key} className={styles.card} data-sum={row.isSum || undefined}>
            <div className={layout.spread}>
              <b>{row.name}</b>
              {row.result}
            </div>
            <dl>
              {columns.map((column) => (
                <div key={column.key}>
                  <dt>{column.heading}</dt>
                  <dd>{row.cells[column.key]}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </section>
    );
  }
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          {columns.map((column) => (
            <th key={column.key} scope="col">
              {column.heading}
            </th>
          ))}
          {resultHeading !== undefined && <th scope="col">{resultHeading}</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} data-sum={row.isSum || undefined}>
            <th scope="row">{row.name}</th>
            {columns.map((column) => (
              <td key={column.key}>{row.cells[column.key]}</td>
            ))}
            {resultHeading !== undefined && <td>{row.result}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
