/** A move, backup or restore that is not possible; the message is one line for the operator. Nothing was changed. */
export class TransferRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransferRefusal';
  }
}
