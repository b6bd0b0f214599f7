interface RoundTicksOptions {
  /** What one of the shown units is in the values: quota units of a dollar. */
  unit?: number;
  /** Things that are counted: no mark between two of them. */
  isCount?: boolean;
}

/** How many steps an axis has about. */
const steps = 4;

/** The marks of an axis from 0 to at least `most`: steps of 1, 2 or 5 and their tens, in the unit that is shown. */
export function roundTicks(most: number, { unit = 1, isCount = false }: RoundTicksOptions = {}): number[] {
  if (!(most > 0)) return [0, unit];
  const raw = most / unit / steps;
  const ten = 10 ** Math.floor(Math.log10(raw));
  // Rounded: what a float has too much is no step more.
  const wanted = [1, 2, 5, 10].find((one) => raw / ten <= one + 1e-9) ?? 10;
  const step = isCount ? Math.max(1, wanted * ten) : wanted * ten;
  // One of something is not to fill the picture.
  const count = Math.max(isCount && step === 1 ? steps : 1, Math.ceil(most / unit / step - 1e-9));
  return Array.from({ length: count + 1 }, (_mark, index) => Number((index * step).toPrecision(12)) * unit);
}
