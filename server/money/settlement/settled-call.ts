import type { LogRecord } from '#server/db/records/log.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';

/** Log row as the call supplies it; the settlement adds the other fields. */
export type ChargeRow = Omit<LogRecord, 'id' | 'process' | 'seq' | 'token_quota' | 'budgets'>;

/** Call that is being settled. */
export interface SettledCall {
  reservation: Reservation;
  row: ChargeRow;
  stored: LogRecord | undefined;
  /** Process id under which the row was last written. */
  settledAs: string;
  /** The database rejected its full row: only the fields that the books need are stored. */
  isBare: boolean;
  resolve(): void;
  reject(failure: unknown): void;
}
