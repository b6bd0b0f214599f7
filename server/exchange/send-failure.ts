/** Reason why no response came. `aborted`: the gateway ended the call. */
export class SendFailure extends Error {
  readonly reason: 'network' | 'timeout' | 'too_large' | 'unreadable' | 'aborted';
  constructor(reason: SendFailure['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SendFailure';
    this.reason = reason;
  }
}
