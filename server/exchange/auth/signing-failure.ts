// No token could be had for a request: what it was to go to has not been asked.
import { SendFailure } from '#server/exchange/send-failure.ts';

/** What the provider's own place for tokens answered. */
export interface TokenRefusal {
  status: number;
  /** The body, decoded; may be cut off. */
  text: string;
}

export class SigningFailure extends Error {
  /** A refusal, or why no answer came. */
  readonly reason: TokenRefusal | SendFailure;
  constructor(reason: TokenRefusal | SendFailure) {
    super(reason instanceof SendFailure ? reason.message : `no token: status ${reason.status}`, { cause: reason });
    this.name = 'SigningFailure';
    this.reason = reason;
  }
}
