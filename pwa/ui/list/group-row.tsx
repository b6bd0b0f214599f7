import type { CSSProperties } from 'react';
import type { Column } from './columns.tsx';
import type { RowGroup } from './data-list.tsx';
import styles from './data-table.module.css';

interface GroupRowProps<Row> {
  group: RowGroup;
  /** Those that the list has room for. */
  columns: readonly Column<Row>[];
  /** Cells before the first column. */
  ticks: number;
  /** It ends the list. */
  isTotal?: boolean;
}

/** The heading of some rows, or the sum of all: its name, and what they come to, each figure under its own column. */
export function GroupRow<Row>({ group, columns, ticks, isTotal = false }: GroupRowProps<Row>) {
  const { label, sum, cells } = group;
  const first = cells === undefined ? -1 : columns.findIndex(({ key }) => cells[key] !== undefined);
  const named = first === -1 ? columns.length : first;
  const span = ticks + named;
  const style: CSSProperties = { gridColumn: `span ${span}` };
  return (
    <tr className={isTotal ? styles.total : styles.group} data-cells={cells !== undefined || undefined}>
      <th scope={isTotal ? 'row' : 'colgroup'} colSpan={span} style={cells === undefined ? undefined : style}>
        {cells === undefined ? (
          <span className={styles.groupLine}>
            <span>{label}</span>
            <span>{sum}</span>
          </span>
        ) : (
          label
        )}
      </th>
      {columns.slice(named).map(({ key, align }) => (
        <td key={key} data-align={align}>
          {cells?.[key]}
        </td>
      ))}
    </tr>
  );
}
