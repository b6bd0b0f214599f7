// What a stream may still cost while it runs. It has reserved its limit; one whose upstream writes on beyond that is paid for as
// long as the account has something, and then one at a time may finish in debt, or none (setting `StreamOverdraft`).
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';

const checkBytes = 8 * 1024;

/** The stream whose spending is watched. */
export interface SpendingStream {
  /** Nothing more is to be read until it is known that it can be paid for. */
  pause(): void;
  resume(): void;
  /** All of the account's money is used, and streams are to stop then. */
  overdraw(): void;
  /** An exception in here ends the stream, and no other. */
  fault(cause: unknown): void;
}

export class StreamSpending {
  readonly #call: RunningCall;
  readonly #meter: StreamPipe;
  readonly #stream: SpendingStream;
  #nextCheck = checkBytes;
  #isExtending = false;
  #isSuspended = false;
  #isOver = false;

  constructor(call: RunningCall, meter: StreamPipe, stream: SpendingStream) {
    this.#call = call;
    this.#meter = meter;
    this.#stream = stream;
  }

  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** Called whenever something has been written. */
  check(): void {
    if (this.#meter.bytes >= this.#nextCheck) this.#extend();
  }

  /** Called from time to time: tries again when the database was away the last time. */
  tick(): void {
    if (this.#isSuspended) this.#extend();
  }

  /** The stream has ended. */
  end(): void {
    this.#isOver = true;
  }

  #extend(): void {
    this.#nextCheck = this.#meter.bytes + checkBytes;
    const { reservation } = this.#call.reserved;
    if (this.#isExtending || (this.#costSoFar() <= reservation.amount && !this.#isSuspended)) return;
    // More than was allowed for. What comes now has to be paid for first.
    if (!this.#isSuspended) {
      this.#isSuspended = true;
      this.#stream.pause();
    }
    this.#isExtending = true;
    const deciding = this.#mayContinue().then(
      (mayContinue) => {
        this.#isExtending = false;
        if (this.#isOver) return;
        if (mayContinue) this.#resume();
        else this.#stream.overdraw();
      },
      () => {
        this.#isExtending = false; // the database is away
      },
    );
    void deciding.catch((cause: unknown) => this.#stream.fault(cause));
  }

  #resume(): void {
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    this.#stream.resume();
  }

  async #mayContinue(): Promise<boolean> {
    const { services } = this.#call;
    const { quoted, reservation, prompt, choices } = this.#call.reserved;
    const { ledger, settings } = services.context;
    const soFar = this.#costSoFar();
    // The same once more, or a little; whichever the account has.
    for (const sum of [soFar, soFar * 0.1]) {
      if (await ledger.extend(reservation, Math.max(1, Math.ceil(soFar + sum - reservation.amount)))) return true;
    }
    // Estimated by bytes until here.
    if (this.#costOf(await this.#meter.countTokens()) <= reservation.amount) return true;
    if (settings.get('StreamOverdraft') === 'stop') return false;
    // As much as one response can cost, so that no further reservation is needed.
    const largest = maxOutputTokens(this.#call.model) ?? settings.get('DefaultMaxOutputTokens');
    const most = services.context.quotes.reserveFor(quoted, prompt, largest * choices);
    return ledger.overdraw(reservation, Math.ceil(Math.max(most, soFar)));
  }

  #costSoFar(): number {
    return this.#costOf(this.#meter.roughTokens());
  }

  #costOf(completionTokens: number): number {
    const { services, reserved } = this.#call;
    const { quoted, prompt } = reserved;
    return services.context.quotes.reserveFor(quoted, prompt, completionTokens);
  }
}
