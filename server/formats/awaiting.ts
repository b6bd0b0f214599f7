// Asynchronous calls of a provider: submitted once, then polled until the response is complete.
import type { JsonObject } from '#server/framing/loose-json.ts';

/** Further request to the provider of a submitted call. */
export interface FollowUp {
  /** Path and query, at the origin of the call's URL. */
  path: string;
  /** Body of a `POST`. If undefined, the request is a `GET`. */
  body?: Readonly<Record<string, unknown>>;
}

export type AwaitedStep =
  /** The response is complete. */
  | { kind: 'response'; body: JsonObject }
  /** Send a further request, e.g. the next poll. `isLater`: after a pause, which grows. */
  | ({ kind: 'request'; isLater?: true } & FollowUp)
  /** The response streams from a URL that the provider returned. */
  | { kind: 'stream'; url: string }
  /** The provider accepted the call and does not report its outcome. */
  | { kind: 'lost' };

/** Polling of one call. */
export interface Awaiting {
  /** Returns the next step after the provider's last response. */
  next(body: JsonObject): AwaitedStep;
  /** The provider bills started work, so a lost call is not retried at another channel. If undefined, lost calls are retried. */
  readonly isOrder?: true;
  /** Request that cancels the call when its client is gone. If null, the provider cannot cancel. */
  cancel(): FollowUp | null;
}

export interface AwaitedCall {
  /** Path and query of the call. */
  path: string;
  isStream: boolean;
}
