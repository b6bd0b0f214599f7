// The arithmetic of a receipt. What is shown is rounded line by line, so the shown lines would not always add up; the
// rounding line takes the rest. When the rest is more than rounding can explain, it is named as a difference.

export interface ReceiptLine {
  /** Name of the usage class. */
  name: string;
  /** Where the quantity comes from; absent for what is not counted in tokens. */
  source?: 'upstream' | 'counted' | 'estimated';
  quantity: number;
  /** Text of a quantity that is not a count. */
  quantityText?: string;
  /** Text of a price that is neither per million nor per unit. */
  priceText?: string;
  /** USD per 1M, or USD per call when `isPerCall`. */
  price: number;
  isPerCall?: boolean;
}

export interface ReceiptFactor {
  name: string;
  ratio: number;
}

export interface ReceiptSums {
  /** Amounts in steps of the smallest shown unit: millionths of a dollar, or hundredths of a quota unit. */
  lines: number[];
  subtotal: number;
  factors: number[];
  rounding: number;
  charge: number;
  /** What the shown lines leave unexplained; 0 when they add up. */
  difference: number;
}

/**
 * Sums of a receipt whose charge is `charged` whole quota units. `stepsPerUnit` is how many shown steps a quota unit has:
 * 2 with 500,000 units per dollar and six decimals, 100 when quota units are shown.
 */
export function receiptSums(input: {
  lines: readonly ReceiptLine[];
  factors: readonly ReceiptFactor[];
  charged: number;
  quotaPerUnit: number;
  stepsPerUnit: number;
}): ReceiptSums {
  const { stepsPerUnit, quotaPerUnit } = input;
  const exact = input.lines.map((line) => amountInQuota(line, quotaPerUnit) * stepsPerUnit);
  const lines = exact.map(Math.round);
  const subtotal = sum(lines);

  const factors: number[] = [];
  let running = sum(exact);
  let shown = subtotal;
  for (const factor of input.factors) {
    running *= factor.ratio;
    // Each factor's line shows the step between two shown sums.
    const next = Math.round(running);
    factors.push(next - shown);
    shown = next;
  }

  const charge = Math.round(input.charged * stepsPerUnit);
  const rest = charge - shown;
  // Up to a whole quota unit, the least charge of one unit included, and half a step of each shown line.
  const dust = (lines.length + factors.length + 1) / 2 + 1;
  const isRounding = rest >= -dust && rest <= stepsPerUnit + dust;
  return { lines, subtotal, factors, rounding: isRounding ? rest : 0, charge, difference: isRounding ? 0 : rest };
}

/** What a line costs before factors, in quota units, not rounded. */
export function amountInQuota(line: ReceiptLine, quotaPerUnit: number): number {
  const usd = line.isPerCall === true ? line.quantity * line.price : (line.quantity * line.price) / 1_000_000;
  return usd * quotaPerUnit;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
