// Limits what request bodies cost this process: bytes held at a time, in total and per caller, and event-loop time of
// those that take long to parse.
import { AppError } from '#shared/errors.ts';
import type { Spool } from '#server/http/spool.ts';
import { createProgressWatch, type ProgressWatch } from '#server/network/progress-watch.ts';
import { createShares, type Shares } from '#server/queues/shares.ts';
import { createTurns, type InTurn } from '#server/queues/turns.ts';

/** Bytes held by one request. */
export interface BodyHold {
  /** @throws {AppError} `bodies_of_caller`, `bodies_of_server` */
  grow(bytes: number): void;
  /** Reduces the held bytes; never increases them. */
  shrinkTo(bytes: number): void;
  readonly bytes: number;
}

export interface Bodies {
  /** `owner`: the user or address that the bytes are counted for. */
  open(owner: string): BodyHold;
  /** Queue for long work on a body. */
  readonly inTurn: InTurn;
  /** Ends bodies that stop arriving. */
  readonly watch: ProgressWatch;
  /** Disk storage of large bodies other than JSON. */
  readonly spool: Spool;
  /** Bytes held now. */
  readonly bytes: number;
}

export interface BodyLimits {
  /** Bytes of all bodies, and of those of one owner. */
  all: number;
  perOwner: number;
  /** Seconds without progress. */
  timeout: number;
}

/** Bodies up to this size still fit when larger ones have used their share. */
const smallBody = 64 * 1024;
/** Share of the total available to larger bodies. */
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
    const room = this.bytes + bytes <= smallBody ? limits.all : limits.all * largeShare;
    if (!shares.fits(this.#owner, bytes, { perOwner, all: room })) {
      if (!shares.fits(this.#owner, bytes, { perOwner })) throw new AppError('bodies_of_caller', {}, { retryAfter: retrySeconds });
      // A single body may have the maximum size.
      if (shares.total > this.bytes) throw new AppError('bodies_of_server', {}, { retryAfter: retrySeconds });
    }
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
