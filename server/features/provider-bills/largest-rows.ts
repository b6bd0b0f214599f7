// Rows with the largest differences, of any number of rows.
import type { DriftRow } from '#shared/provider-bills.ts';

interface SizedRow {
  row: DriftRow;
  size: number;
  percent: number;
}

/** Largest difference first, then the largest percentage, then the earliest day. */
export function largestFirst(rows: readonly DriftRow[]): DriftRow[] {
  return rows
    .map(sized)
    .toSorted(compare)
    .map(({ row }) => row);
}

export class LargestRows {
  readonly #most: number;
  #rows: SizedRow[] = [];
  #total = 0;

  /** @param most number of rows that are returned at most; twice as many are in memory at most, and those that are added at once */
  constructor(most: number) {
    this.#most = most;
  }

  add(rows: readonly DriftRow[]): void {
    this.#total += rows.length;
    this.#rows.push(...rows.map(sized));
    if (this.#rows.length > 2 * this.#most) this.#rows = this.#rows.toSorted(compare).slice(0, this.#most);
  }

  /** Rows in memory. */
  get held(): number {
    return this.#rows.length;
  }

  /** Rows that were added. */
  get total(): number {
    return this.#total;
  }

  largest(): DriftRow[] {
    return this.#rows
      .toSorted(compare)
      .slice(0, this.#most)
      .map(({ row }) => row);
  }
}

function sized(row: DriftRow): SizedRow {
  return { row, size: Math.abs(Number(row.difference ?? 0)), percent: Math.abs(row.percent ?? 0) };
}

function compare(one: SizedRow, other: SizedRow): number {
  return other.size - one.size || other.percent - one.percent || one.row.day.localeCompare(other.row.day);
}
