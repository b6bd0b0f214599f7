// The same work again and again, by a process that stops behind one more step each time.
import type { RelayScene } from '#tests/support/relay-scene.ts';
import { type Steps, Stopping } from '#tests/support/stopping.ts';

export interface Life {
  /** Ends where the process does. */
  live(): Promise<unknown>;
  /** Another process resumes the work. */
  goOn(): Promise<void>;
  check(where: string): Promise<void>;
}

/** @returns how many lives there were: one for each step, and one that was not stopped */
export async function stopAtEachStep({ app: { context } }: RelayScene, steps: Steps, { live, goOn, check }: Life): Promise<number> {
  const { db, ledger } = context;
  for (let at = 1; ; at += 1) {
    const stopping = new Stopping(at, steps);
    Object.assign(context, { db: stopping.database(db), ledger: stopping.ledger(ledger) });
    await live().catch(() => {});
    Object.assign(context, { db, ledger });
    await goOn();
    await check(`step ${at}`);
    if (!stopping.hasStopped) return at;
  }
}
