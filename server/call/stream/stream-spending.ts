// Compares the cost of a running stream with its reservation. A stream that exceeds it extends the reservation while the account
// has quota; then one stream of the account may finish in debt, or none (setting `StreamOverdraft`).
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';

const checkBytes = 8 * 1024;

/** The stream whose spending is watched. */
export interface SpendingStream {
  /** Pauses reading until more is reserved. */
  pause(): void;
  resume(): void;
  /** Ends the stream, because the account cannot pay for more. */
  overdraw(): void;
  /** Ends the stream after an exception. */
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

  /** Called after each write. */
  check(): void {
    if (this.#meter.bytes >= this.#nextCheck) this.#extend();
  }

  /** Called periodically: retries an extension that failed because the database was unavailable. */
  tick(): void {
    if (this.#isSuspended) this.#extend();
  }

  /** Called when the stream has ended. */
  end(): void {
    this.#isOver = true;
  }

  #extend(): void {
    this.#nextCheck = this.#meter.bytes + checkBytes;
    const { reservation } = this.#call.reserved;
    if (this.#isExtending || (this.#costSoFar() <= reservation.amount && !this.#isSuspended)) return;
    // The cost exceeds the reservation: reading pauses until more is reserved.
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
        this.#isExtending = false; // the database is unavailable; `tick` retries
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
    // Reserves as much again as was used so far or, if the account has less, a tenth of it.
    for (const sum of [soFar, soFar * 0.1]) {
      if (await ledger.extend(reservation, Math.max(1, Math.ceil(soFar + sum - reservation.amount)))) return true;
    }
    // The cost so far is an estimate by bytes: counts the tokens before the account goes into debt.
    if (this.#costOf(await this.#meter.countTokens()) <= reservation.amount) return true;
    if (settings.get('StreamOverdraft') === 'stop') return false;
    // Reserves the maximum cost of a response, so that no further extension is needed.
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
