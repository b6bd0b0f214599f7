// Calls that a provider answers later: it is asked again until it has told all.
import type { JsonObject } from '#server/framing/loose-json.ts';

/** One more request for the same call, to the same provider. */
export interface FollowUp {
  /** With the query, at the origin of the call. */
  path: string;
  /** Missing: it is a `GET`. */
  body?: Readonly<Record<string, unknown>>;
}

export type AwaitedStep =
  /** That was all. */
  | { kind: 'response'; body: JsonObject }
  /** `isLater`: there may be nothing new for a while. */
  | ({ kind: 'ask'; isLater?: true } & FollowUp)
  /** Where the response streams, as the provider has told it. */
  | { kind: 'stream'; url: string }
  /** It is at work, or has been, and does not tell what has become of it. */
  | { kind: 'lost' };

/** Of one call. */
export interface Awaiting {
  /** What follows from what the provider has said last. */
  next(body: JsonObject): AwaitedStep;
  /** What was asked for is made, and billed, once it has begun: whoever loses sight of it asks nobody else for it. Missing: others are asked. */
  readonly isOrder?: true;
  /** What ends its work where nobody waits any more; null: nothing does. */
  cancel(): FollowUp | null;
}

export interface AwaitedCall {
  /** Of the call, with the query. */
  path: string;
  /** It streams. */
  isStream: boolean;
}
