// Budget periods that several payments of one thing were charged to. Of an unused amount, the latest payment is refunded first.
import { idsIn } from './account.ts';

/** A payment. */
export interface BudgetPart {
  /** As in a log row. */
  budgets: string;
  /** Quota. */
  paid: number;
}

/** @param json stored parts; undefined or empty for none */
export function budgetParts(json: string | undefined): readonly BudgetPart[] {
  if (json === undefined || json === '') return [];
  const parts: readonly BudgetPart[] = JSON.parse(json);
  return parts;
}

/** Adds a payment to stored parts. */
export function withBudgetPart(json: string | undefined, { budgets, paid }: BudgetPart): string {
  const parts = budgetParts(json);
  const last = parts.at(-1);
  if (paid === 0 || (budgets === '' && last === undefined)) return json ?? '';
  if (last?.budgets !== budgets) return JSON.stringify([...parts, { budgets, paid }]);
  return JSON.stringify([...parts.slice(0, -1), { budgets, paid: last.paid + paid }]);
}

/** Divides an unused amount of all payments among the periods. */
export function unusedOfBudgets(parts: readonly BudgetPart[], rest: number): Map<number, number> {
  const shares = new Map<number, number>();
  let left = rest;
  for (const { budgets, paid } of parts.toReversed()) {
    const share = Math.min(paid, left);
    left -= share;
    if (share > 0) for (const id of idsIn(budgets)) shares.set(id, (shares.get(id) ?? 0) + share);
  }
  return shares;
}
