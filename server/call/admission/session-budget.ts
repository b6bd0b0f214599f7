// What a session of a client may cost, as its key says. A call begins while what the session has spent, with what its running calls
// are expected to cost, is below that; none is stopped in the middle of its response. What calls of other processes cost is known when
// they have ended, a moment later.
import { AppError } from '#shared/errors.ts';
import { quotaText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { CalledSession } from '#server/call/admission/called-session.ts';

/** A call that runs. */
export interface BudgetHold {
  /** It is settled, or costs nothing. */
  end(): void;
}

export interface SessionBudgets {
  /**
   * Null: no budget binds the call. `expected` (quota): what most calls like it cost.
   * @throws {AppError} `session_budget_reached`, `session_budget_held` @throws {DatabaseUnavailable}
   */
  enter(session: CalledSession | null, admission: Admission, expected: number): Promise<BudgetHold> | null;
}

/** Calls of one session that run, or ask whether they may. */
interface Running {
  calls: number;
  /** Quota. */
  expected: number;
  requesting: number;
  /** How many have ended. */
  ended: number;
}

/** Calls end while the record is being read; after so many times what is known of them has to do. */
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
      if (session === null || token === null || budget === 0) return null;
      return enter(session, { budget, name: token.name, expected });
    },
  };
}

/** Quota, without what was given back. */
async function spentBy({ db, ledger }: BudgetContext, key: string): Promise<number> {
  await ledger.sessionSettled(key);
  const record = await db.collection('call_sessions').get(key);
  return record === null ? 0 : record.quota + record.hidden_quota - (record.refunded ?? 0);
}

function textOf({ settings }: BudgetContext, quota: number): string {
  return quotaText(quota, { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') });
}
