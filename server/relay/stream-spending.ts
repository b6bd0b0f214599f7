// What a stream may still cost while it runs: its reservation grows with what has been written, so that an account does not
// run far below zero unnoticed.
import type { RunningCall } from '#server/relay/running-call.ts';
import type { UsageMeter } from '#server/upstream/usage-meter.ts';

const checkBytes = 8 * 1024;

/** The stream whose spending is watched. */
export interface SpendingStream {
  /** Nothing more is to be read until it is known that it can be paid for. */
  pause(): void;
  resume(): void;
  /** All of the account's money is used, and streams are to stop then. */
  overdraw(): void;
}

export class StreamSpending {
  readonly #call: RunningCall;
  readonly #meter: UsageMeter;
  readonly #stream: SpendingStream;
  #nextCheck = checkBytes;
  #isExtending = false;
  #isHeld = false;
  #isOver = false;

  constructor(call: RunningCall, meter: UsageMeter, stream: SpendingStream) {
    this.#call = call;
    this.#meter = meter;
    this.#stream = stream;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Called whenever something has been written. */
  check(): void {
    if (this.#meter.bytes >= this.#nextCheck) this.#extend();
  }

  /** Called from time to time: tries again when the database was away at the last try. */
  tick(): void {
    if (this.#isHeld) this.#extend();
  }

  /** The stream has ended. */
  end(): void {
    this.#isOver = true;
  }

  #extend(): void {
    this.#nextCheck = this.#meter.bytes + checkBytes;
    const { services, reservation } = this.#call;
    const soFar = this.#costSoFar();
    const hasToStop = services.context.settings.get('StreamOverdraft') === 'stop';
    if (hasToStop && soFar > reservation.amount && !this.#isHeld) {
      this.#isHeld = true;
      this.#stream.pause();
    }
    if (this.#isExtending || soFar <= reservation.amount * 0.8) return;
    this.#isExtending = true;
    void this.#extendBy([soFar, soFar * 0.1]).then(
      (isExtended) => {
        this.#isExtending = false;
        if (this.#isOver) return;
        if (!isExtended && !hasToStop) this.#nextCheck = Number.POSITIVE_INFINITY; // finishes below zero, bounded by this one call
        if (!isExtended && hasToStop && this.#costSoFar() >= reservation.amount) this.#stream.overdraw();
        else this.#goOn();
      },
      () => {
        this.#isExtending = false; // the database is away
      },
    );
  }

  #goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stream.resume();
  }

  /** Reserves for what has been written and one of these sums beyond it, the first that the account has. */
  async #extendBy(sums: readonly number[]): Promise<boolean> {
    const { services, reservation } = this.#call;
    for (const sum of sums) {
      const more = Math.ceil(this.#costSoFar() + sum - reservation.amount);
      if (await services.context.ledger.extend(reservation, Math.max(1, more))) return true;
    }
    return false;
  }

  #costSoFar(): number {
    const { services, quoted, promptEstimate } = this.#call;
    return services.quotes.charge(quoted, { promptTokens: promptEstimate, completionTokens: this.#meter.roughTokens() });
  }
}
