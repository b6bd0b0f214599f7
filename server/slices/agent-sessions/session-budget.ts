// Budgets of client sessions, set per key. A call begins while the session's cost and the expected cost of its running calls are below the
// budget; no response is cut. Costs of calls in other processes count when those calls have ended, a moment later.
import { AppError } from '#shared/errors.ts';
import { amountText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { CalledSession } from './called-session.ts';

/** A running call's share of the budget. */
export interface BudgetHold {
  /** Called when the call is settled, or costs nothing. */
  end(): void;
}

export interface SessionBudgets {
  /**
   * Returns null if the key has no budget. `expected`: quota that most calls like it cost.
   * @throws {AppError} `session_budget_reached`, `session_budget_held` @throws {DatabaseUnavailable}
   */
  enter(session: CalledSession, admission: Admission, expected: number): Promise<BudgetHold> | null;
}

/** Running calls of one session, and those that wait for admission. */
interface Running {
  calls: number;
  /** Quota. */
  expected: number;
  requesting: number;
  /** Number of calls that have ended. */
  ended: number;
}

/** Reads of the record: calls may end during a read. The last read counts in any case. */
const tries = 4;
const retrySeconds = 2;

type BudgetContext = Pick<AppContext, 'db' | 'ledger' | 'settings'>;

export function createSessionBudgets(context: BudgetContext): SessionBudgets {
  const sessions = new Map<string, Running>();

  async function enter(session: CalledSession, { budget, name, expected }: { budget: number; name: string; expected: number }) {
    const { key } = session;
    const running = sessions.get(key) ?? { calls: 0, expected: 0, requesting: 0, ended: 0 };
    sessions.set(key, running);
    const forget = () => void (running.calls + running.requesting === 0 && sessions.delete(key));
    running.requesting += 1;
    try {
      let spent = 0;
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const { ended } = running;
        spent = await spentBy(context, key);
        if (running.ended === ended) break;
      }
      const refuse = (code: 'session_budget_reached' | 'session_budget_held', retryAfter?: number) => {
        const reported = { token: name, spent: textOf(context, spent), budget: textOf(context, budget) };
        return new AppError(code, reported, retryAfter === undefined ? {} : { retryAfter });
      };
      if (spent >= budget) throw refuse('session_budget_reached');
      if (spent + running.expected >= budget) throw refuse('session_budget_held', retrySeconds);
      running.calls += 1;
      running.expected += expected;
    } finally {
      running.requesting -= 1;
      forget();
    }
    let isOver = false;
    return {
      end() {
        if (isOver) return;
        isOver = true;
        running.calls -= 1;
        running.expected -= expected;
        running.ended += 1;
        forget();
      },
    };
  }

  return {
    enter(session, { token }, expected) {
      const budget = token?.session_budget ?? 0;
      if (token === null || budget === 0) return null;
      return enter(session, { budget, name: token.name, expected });
    },
  };
}

/** Quota, without refunds. */
async function spentBy({ db, ledger }: BudgetContext, key: string): Promise<number> {
  await ledger.sessionSettled(key);
  const record = await db.collection('call_sessions').get(key);
  return record === null ? 0 : record.quota + record.hidden_quota - (record.refunded ?? 0);
}

function textOf({ settings }: BudgetContext, quota: number): string {
  return amountText(quota, { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') });
}
