// What a price per call is paid for where one call may have several: searches of a reranker.

export const unitKinds = ['search'] as const;
export type UnitKind = (typeof unitKinds)[number];

export interface CallUnits {
  kind: UnitKind;
  /** A whole number from 0 up. */
  count: number;
}

export function isUnitKind(value: unknown): value is UnitKind {
  return unitKinds.some((kind) => kind === value);
}
