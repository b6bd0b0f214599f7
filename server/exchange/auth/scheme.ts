// Interface of authorization schemes, one file each. A scheme may need only the key, or the whole request.
import type { LocalText } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';
import type { Sender, SendRequest } from '#server/exchange/send.ts';

/** Inputs of signing besides the request. */
export interface Signing {
  /** Time of the signature, milliseconds since the epoch. */
  now: number;
  /** Sends the requests of schemes that fetch a token. */
  sender: Pick<Sender, 'send'>;
}

export interface Authorization {
  /** Headers that are the same for every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reason why the key is unusable, for administrators; null if it is usable. */
  readonly problem: FailureReason | null;
  /**
   * Adds credentials that depend on the request or the time. If undefined, `headers` are enough.
   * @throws {SigningFailure} if a token is required and cannot be fetched
   */
  sign?<Request extends SendRequest>(request: Request, signing: Signing): Request | Promise<Request>;
}

/** A key that does not have the form of its provider's keys. */
export function keyForm(forms: string | LocalText): FailureReason {
  return { code: 'channel_key_form', facts: { forms } };
}
