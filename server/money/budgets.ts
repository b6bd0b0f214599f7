// Budgets as the ledger's callers see them. `server/budgets/` finds those that bind a call, and opens their periods.
import { AppError, type LocalText } from '#shared/errors.ts';
import type { LimitScope } from '#shared/rate-limits.ts';
import { amountText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationMemberRecord, TeamRecord } from '#server/db/records/organisation.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { ChargedBudget } from '#server/money/leases/reservations.ts';

export interface Budgets {
  /** Whether the site has budgets, which bind many callers. Only with those, or with its own, a call looks for budgets. */
  readonly isOfSite: boolean;
  /**
   * Returns the budgets that calls of that model, by its caller's name, are charged to, in their current periods. Synchronous while the periods
   * are known.
   * @throws {DatabaseUnavailable} from the promise
   */
  of(payer: Payer, model: string): readonly BudgetAccount[] | Promise<readonly BudgetAccount[]>;
  /**
   * Returns headers that say what is left of the tightest budget of a call.
   * @param seesAccount whether the caller may see what the account's other tokens and members use
   */
  headers(reservation: Reservation, seesAccount: boolean): Readonly<Record<string, string>>;
  /** Counts the refusal if a budget is its reason. */
  refused(error: AppError): void;
  /** Notifies of budgets that were used up to a mark since the last time. */
  check(): Promise<void>;
}

/** Whose calls they are; `token` is null for calls of the console. */
export interface Payer {
  readonly token: TokenRecord | null;
  readonly user: UserRecord;
  /** Group of the call. */
  readonly group: string;
  /** Member and team of an organisation's token, whose budgets pay, too. */
  readonly standing?: { readonly member: OrganisationMemberRecord | null; readonly team: TeamRecord | null } | undefined;
}

export type BudgetOwner = LimitScope | 'organisation';

const owners: Readonly<Record<BudgetOwner, LocalText>> = {
  token: { zh: '此令牌', en: 'this key' },
  member: { zh: '此成员', en: 'this member' },
  team: { zh: '此团队', en: 'this team' },
  organisation: { zh: '此组织', en: 'this organisation' },
  user: { zh: '此账户', en: 'this account' },
  site: { zh: '全站', en: 'the whole site' },
};

/** Budget in its current period, from which a call is reserved. */
export interface BudgetAccount extends ChargedBudget {
  /** Name for people. */
  readonly name: string;
  readonly owner: BudgetOwner;
  /** Amount of the budget in quota, and end of the period in unix seconds; 0 for none. */
  readonly amount: number;
  readonly endsAt: number;
  /** Model with which the call continues at the end of the budget; undefined if it is refused then. */
  readonly cheaperModel: string | undefined;
}

/** Refusal of a call that a budget cannot pay for. */
export class BudgetReached extends AppError {
  readonly budget: BudgetAccount;

  /** @param left quota */
  constructor({ settings, now }: Pick<AppContext, 'settings' | 'now'>, budget: BudgetAccount, left: number) {
    const { name, owner, amount, endsAt } = budget;
    const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
    const details = {
      budget: name,
      owner: owners[owner],
      amount: amountText(amount, display),
      left: amountText(Math.max(0, left), display),
    };
    if (endsAt === 0) super('budget_used_up', details);
    else {
      // Clients that retry later, and people who read it, learn when.
      const resets = `${new Date(endsAt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
      super('budget_reached', { ...details, resets }, { retryAfter: Math.max(1, Math.ceil(endsAt - now() / 1000)) });
    }
    this.budget = budget;
  }
}
