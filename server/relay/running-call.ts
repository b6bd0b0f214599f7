// What is known of a call while it runs; `relay.ts` fills it in order.
import type { Language } from '#shared/errors.ts';
import type { Attempt } from '#shared/logs.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import type { Reservation } from '#server/money/settlement.ts';
import type { RelayBody, RelayEndpoint } from '#server/relay/endpoints.ts';
import type { RatePass } from '#server/relay/rate-gate.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { Admission } from '#server/relay/token-gate.ts';

export interface RunningCall {
  readonly services: RelayServices;
  readonly endpoint: RelayEndpoint;
  readonly requestId: string;
  readonly language: Language;
  readonly admission: Admission;
  readonly model: string;
  readonly body: RelayBody;
  readonly rawText: string;
  readonly isStream: boolean;
  /** `api-version` of the client's query. */
  readonly version: string | undefined;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly quoted: QuotedPrice;
  readonly promptEstimate: number;
  readonly reservation: Reservation;
  readonly pass: RatePass | null;
  readonly attempts: Attempt[];
  /** The client's connection has closed before its answer was complete. */
  hasLeft: boolean;
  /** Ends what is under way for a client that has left. */
  onLeave: (() => void) | undefined;
}

/** Milliseconds since the call began, to the microsecond. */
export function elapsed(call: RunningCall): number {
  return Math.round((performance.now() - call.startedAt) * 1000) / 1000;
}
