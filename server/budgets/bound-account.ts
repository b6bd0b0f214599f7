import type { BudgetAccount, BudgetOwner } from '#server/money/budgets.ts';
import { type BoundBudget, isOfMember } from './bound-budgets.ts';
import { dollarText } from './dollar-text.ts';

interface Period {
  id: number;
  /** Unix seconds; 0 for none. */
  endsAt: number;
  /** Model of the calls. */
  model: string;
}

/** Budget in its current period, for calls of one model if its end depends on the model. */
export class BoundAccount implements BudgetAccount {
  readonly id: number;
  readonly isHard: boolean;
  readonly cheaperModel: string | undefined;
  readonly endsAt: number;
  /** End of the period for headers; empty for none. */
  readonly endText: string;
  readonly isOfMember: boolean;
  readonly #bound: BoundBudget;
  #amountText: { amount: number; quotaPerUnit: number; text: string } | undefined;

  constructor(bound: BoundBudget, { id, endsAt, model }: Period) {
    const { at_end: end, cheaper_models: models = {} } = bound.budget;
    this.id = id;
    this.endsAt = endsAt;
    this.endText = endsAt === 0 ? '' : new Date(endsAt * 1000).toISOString().replace('.000Z', 'Z');
    this.isOfMember = isOfMember(bound);
    this.#bound = bound;
    this.cheaperModel = end === 'cheaper' && Object.hasOwn(models, model) ? models[model] : undefined;
    // At the end, calls continue with these models, also those that requested them.
    const isCheaper = end === 'cheaper' && Object.values(models).includes(model);
    this.isHard = end !== 'warn' && !isCheaper;
  }

  get name(): string {
    const { name, id } = this.#bound.budget;
    return name ?? id;
  }

  get owner(): BudgetOwner {
    return this.#bound.isOfOrganisation === true ? 'organisation' : this.#bound.scope;
  }

  get amount(): number {
    return this.#bound.budget.amount;
  }

  /** Amount in US dollars. Written once, because every call has it in a header. */
  amountText(quotaPerUnit: number): string {
    const { amount } = this.#bound.budget;
    const known = this.#amountText;
    if (known?.amount === amount && known.quotaPerUnit === quotaPerUnit) return known.text;
    const text = dollarText(amount, quotaPerUnit);
    this.#amountText = { amount, quotaPerUnit, text };
    return text;
  }
}
