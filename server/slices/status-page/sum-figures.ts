// Sums of figures of one model.
import type { ModelFigureRecord } from '#server/db/records/status-page.ts';
import { addFirstBytes, emptyFirstBytes, type FirstByteBucket, firstByteKeys } from '#server/exchange/first-byte-buckets.ts';

export interface FigureSums {
  answered: number;
  failed: number;
  firstBytes: FirstByteBucket[];
}

export function emptySums(): FigureSums {
  return { answered: 0, failed: 0, firstBytes: emptyFirstBytes() };
}

export function addFigure(to: FigureSums, figure: ModelFigureRecord): void {
  to.answered += figure.answered;
  to.failed += figure.failed;
  addFirstBytes(to.firstBytes, bucketsOf(figure));
}

export function firstTokensOf({ firstBytes }: FigureSums): number {
  return firstBytes.reduce((sum, { count }) => sum + count, 0);
}

/** Sums by model. */
export function sumByModel(figures: Iterable<ModelFigureRecord>): Map<string, FigureSums> {
  const sums = new Map<string, FigureSums>();
  for (const figure of figures) {
    let known = sums.get(figure.model);
    if (known === undefined) sums.set(figure.model, (known = emptySums()));
    addFigure(known, figure);
  }
  return sums;
}

function bucketsOf({ first_byte, first_byte_ms }: ModelFigureRecord): FirstByteBucket[] {
  return firstByteKeys.map((key) => ({ count: first_byte[key] ?? 0, milliseconds: first_byte_ms[key] ?? 0 }));
}
