// Sessions of agents: the log row of a call has the session of its client, and a key may limit what a session costs.
import type { AppContext } from '#server/context.ts';
import type { LogOther } from '#shared/logs.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { type CalledSession, calledSession } from './called-session.ts';
import { type BudgetHold, createSessionBudgets, type SessionBudgets } from './session-budget.ts';

export function agentSessionsStage(context: Pick<AppContext, 'db' | 'ledger' | 'settings'>): CallStage {
  const budgets = createSessionBudgets(context);
  return {
    name: 'agent-sessions',
    applies: () => true,
    open({ session, admission, turn }) {
      if (turn.within !== undefined) return turn.within.stages.find((run) => run instanceof SessionRun)?.inner() ?? null;
      return session === null ? null : new SessionRun(calledSession(session, admission, turn.request.headers), budgets);
    },
  };
}

class SessionRun implements StageRun {
  readonly #session: CalledSession;
  /** Null: the budget binds the outer call. */
  readonly #budgets: SessionBudgets | null;
  #held: { call: RunningCall; hold: BudgetHold } | undefined;

  constructor(session: CalledSession, budgets: SessionBudgets | null) {
    this.#session = session;
    this.#budgets = budgets;
  }

  /** The part in a call that this call makes: it is within the same session. */
  inner(): SessionRun {
    return new SessionRun(this.#session, null);
  }

  async reserved(call: RunningCall): Promise<void> {
    const hold = (await this.#budgets?.enter(this.#session, call.admission, call.reserved.expected)) ?? null;
    if (hold !== null) this.#held = { call, hold };
  }

  settling(row: ChargeRow): void {
    row.session_key = this.#session.key;
    if (row.other !== null) row.other.session = presentSession(this.#session);
  }

  /** Turns of a realtime session that begin without a reservation share the stages of another turn, and hold nothing. */
  closed(call: RunningCall): void {
    if (this.#held?.call === call) this.#held.hold.end();
  }
}

function presentSession({ session: id, agent, parent, client }: CalledSession): LogOther['session'] {
  return { id, ...(agent === '' ? {} : { agent }), ...(parent === '' ? {} : { parent }), ...(client === '' ? {} : { client }) };
}
