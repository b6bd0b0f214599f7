import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';

/** What the counters of a process use. */
export interface CounterServices {
  readonly db: Database;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds since the epoch, by which windows are cut. */
  now(): number;
  /** Id under which this process is alive; another one after it was taken for dead. */
  processId(): string;
  /** Called when the counter holds something to return later. */
  onHeld(counter: HeldCounter): void;
}

/** Counter with something to return. */
export interface HeldCounter {
  /** Returns what was not used. Reports whether there is more to return later. Never rejects. @param isLast whether the process ends */
  tend(isLast: boolean): Promise<boolean>;
}

/** Milliseconds for which what was read of the shared counter is taken for current, when a call is refused by it. */
export const freshMs = 250;
/** Milliseconds after which a process returns what it has leased and not used. */
export const leaseMs = 500;
/** Milliseconds for which a call waits for what other processes may return, and between such waits for one counter. */
export const returnMs = leaseMs + freshMs + 50;
export const waitEveryMs = 2_000;
/** Tries of a conditional update while other processes change the record. */
export const mostTries = 100;
