import type { BudgetAccount } from '#server/money/budgets.ts';
import type { BoundBudget } from './bound-budgets.ts';

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
  readonly #bound: BoundBudget;

  constructor(bound: BoundBudget, { id, endsAt, model }: Period) {
    const { at_end: end, cheaper_models: models = {} } = bound.budget;
    this.id = id;
    this.endsAt = endsAt;
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

  get amount(): number {
    return this.#bound.budget.amount;
  }
}
