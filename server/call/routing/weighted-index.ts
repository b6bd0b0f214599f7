/** Returns the index of the first running sum that exceeds the point: a draw by weight. */
export function weightedIndex(sums: readonly number[], point: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > point) high = middle;
    else low = middle + 1;
  }
  return low;
}
