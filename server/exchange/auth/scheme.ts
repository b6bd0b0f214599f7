// How the key of a channel travels. One file per scheme; a scheme may need nothing but the key, or all of a request.
import type { LocalText } from '#shared/errors.ts';
import type { FailureReason } from '#shared/failure-reasons.ts';
import type { Sender, SendRequest } from '#server/exchange/send.ts';

/** What signing may need beside the request. */
export interface Signing {
  /** Milliseconds. */
  now: number;
  /** For schemes that fetch a token. */
  sender: Pick<Sender, 'send'>;
}

export interface Authorization {
  /** Headers that are the same on every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why no call can be made with this key, for administrators; null when it can. */
  readonly problem: FailureReason | null;
  /**
   * For what depends on the call: its method, its address, its headers, the bytes of its body, the time. Missing: `headers` say it all.
   * @throws {SigningFailure} when a token is needed and none can be had
   */
  sign?<Request extends SendRequest>(request: Request, signing: Signing): Request | Promise<Request>;
}

/** A key that does not have the form of its provider's keys. */
export function keyForm(forms: string | LocalText): FailureReason {
  return { code: 'channel_key_form', facts: { forms } };
}
