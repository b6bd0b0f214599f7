/** A replacement that has begun and not ended; the message is one line for the operator. */
export class InterruptedReplacement extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InterruptedReplacement';
  }
}

/** A move, backup or restore that is not possible; the message is one line for the operator. Nothing was changed. */
export class TransferRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransferRefusal';
  }
}
