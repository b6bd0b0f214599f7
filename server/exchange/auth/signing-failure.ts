// Failure to fetch a token; the request itself was not sent.
import { SendFailure } from '#server/exchange/send-failure.ts';

/** Response of the token endpoint. */
export interface TokenRefusal {
  status: number;
  /** Decoded body; may be truncated. */
  text: string;
}

export class SigningFailure extends Error {
  /** Refusal, or the reason why no response came. */
  readonly reason: TokenRefusal | SendFailure;
  constructor(reason: TokenRefusal | SendFailure) {
    super(reason instanceof SendFailure ? reason.message : `no token: status ${reason.status}`, { cause: reason });
    this.name = 'SigningFailure';
    this.reason = reason;
  }
}
