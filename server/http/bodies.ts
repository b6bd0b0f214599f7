// What bodies may cost this process: how many bytes of them are held at once, in all and of one caller, and how much of the
// event loop those take that are long to parse.
import { AppError } from '#shared/errors.ts';
import type { Spool } from '#server/http/spool.ts';
import { createProgressWatch } from '#server/network/progress-watch.ts';
import type { ProgressWatch } from '#server/network/progress-watch.ts';
import { createShares } from '#server/queues/shares.ts';
import type { Shares } from '#server/queues/shares.ts';
import { createTurns } from '#server/queues/turns.ts';
import type { InTurn } from '#server/queues/turns.ts';

/** The bytes that one request holds. */
export interface BodyHold {
  /** @throws {AppError} `bodies_of_caller`, `bodies_of_server` */
  grow(bytes: number): void;
  /** From now on so many are held, not more than before. */
  shrinkTo(bytes: number): void;
  readonly bytes: number;
}

export interface Bodies {
  /** `owner` is who pays or asks for it: a user, or an address. */
  open(owner: string): BodyHold;
  /** For long work on a body. */
  readonly inTurn: InTurn;
  /** Ends bodies that do not arrive. */
  readonly watch: ProgressWatch;
  /** Where those lie that are too large for it and are no JSON. */
  readonly spool: Spool;
  /** Held now. */
  readonly bytes: number;
}

export interface BodyLimits {
  /** Bytes of all bodies; and of those of one owner. */
  all: number;
  perOwner: number;
  /** Seconds without progress. */
  timeout: number;
}

/** Bodies up to this size still find room when larger ones have taken theirs. */
const smallBody = 64 * 1024;
/** The share of all that larger ones may take. */
const largeShare = 0.8;
const retrySeconds = 5;

export function createBodies(limits: BodyLimits, spool: Spool): Bodies {
  const held: HeldBytes = { limits, shares: createShares() };
  return {
    open: (owner) => new Hold(held, owner),
    inTurn: createTurns(),
    watch: createProgressWatch(limits.timeout),
    spool,
    get bytes() {
      return held.shares.total;
    },
  };
}

interface HeldBytes {
  readonly limits: BodyLimits;
  readonly shares: Shares<string>;
}

class Hold implements BodyHold {
  bytes = 0;
  readonly #held: HeldBytes;
  readonly #owner: string;

  constructor(held: HeldBytes, owner: string) {
    this.#held = held;
    this.#owner = owner;
  }

  grow(bytes: number): void {
    const { limits, shares } = this.#held;
    const { perOwner } = limits;
    if (!shares.fits(this.#owner, bytes, { perOwner })) throw new AppError('bodies_of_caller', {}, { retryAfter: retrySeconds });
    // The only one may be as large as bodies are allowed to be.
    const room = this.bytes + bytes <= smallBody ? limits.all : limits.all * largeShare;
    if (!shares.fits(this.#owner, bytes, { all: room }) && shares.total > this.bytes)
      throw new AppError('bodies_of_server', {}, { retryAfter: retrySeconds });
    this.#change(bytes);
  }

  shrinkTo(bytes: number): void {
    if (bytes < this.bytes) this.#change(bytes - this.bytes);
  }

  #change(bytes: number): void {
    this.bytes += bytes;
    this.#held.shares.add(this.#owner, bytes);
  }
}
