// Whole answers that are held: while they come, while they are decoded, and until their callers have read them. So many bytes
// of them fit into the process, and of one user. Who asks for more is read more slowly: what has no room waits in its upstream's
// connection, because an answer that was thrown away would be paid for all the same.

export interface HeldResponses {
  open(userId: number): HeldResponse;
  /** Held now. */
  readonly bytes: number;
}

/** The answer of one call; of its next try when that of one has ended. */
export interface HeldResponse {
  /** It has so many bytes now. False: it is to come no further until `goOn` is called. */
  grow(bytes: number, goOn: () => void): boolean;
  /** All of it has come, or what was made of it has so many bytes. */
  arrived(bytes: number): void;
  /** Nothing of it is held any more. */
  ended(): void;
}

export interface HeldLimits {
  /** Bytes of all answers, and of those of one user; one more answer always gets through. */
  all: number;
  perUser: number;
}

const usualLimits: HeldLimits = { all: 256 * 1024 * 1024, perUser: 128 * 1024 * 1024 };

interface Share {
  bytes: number;
  /** Of those that have come. */
  arrived: number;
}

interface Answer {
  userId: number;
  bytes: number;
  hasArrived: boolean;
  goOn: (() => void) | undefined;
}

export function createHeldResponses({ all, perUser }: HeldLimits = usualLimits): HeldResponses {
  const { total, of, change } = createShares();
  /** Those that still come, the oldest first. */
  const coming = new Set<Answer>();

  /**
   * The oldest goes on in any case, so that two of them do not wait for each other; but not beyond what callers have yet to read,
   * and one that its own user holds back holds back nobody else.
   */
  function mayGoOn(answer: Answer): boolean {
    const fits = total.bytes <= all || (total.arrived <= all && isFirst(answer, fitsUser));
    return fits && fitsUser(answer);
  }

  function fitsUser(answer: Answer): boolean {
    const { userId } = answer;
    const share = of(userId);
    return share.bytes <= perUser || (share.arrived === 0 && isFirst(answer, (other) => other.userId === userId));
  }

  function isFirst(answer: Answer, counts: (other: Answer) => boolean): boolean {
    for (const other of coming) if (counts(other)) return other === answer;
    return false;
  }

  function leave(answer: Answer): void {
    coming.delete(answer);
    answer.goOn = undefined;
  }

  /** There is room again, or somebody else is the oldest. */
  function wake(): void {
    for (const answer of coming) {
      const { goOn } = answer;
      if (goOn === undefined || !mayGoOn(answer)) continue;
      answer.goOn = undefined;
      goOn();
    }
  }

  return {
    open(userId) {
      const answer: Answer = { userId, bytes: 0, hasArrived: false, goOn: undefined };
      return {
        grow(bytes, goOn) {
          coming.add(answer);
          change(answer, bytes);
          const isFree = mayGoOn(answer);
          answer.goOn = isFree ? undefined : goOn;
          return isFree;
        },
        arrived(bytes) {
          // Short ones are not counted.
          if (answer.bytes === 0) return;
          change(answer, 0);
          leave(answer);
          answer.hasArrived = true;
          change(answer, bytes);
          wake();
        },
        ended() {
          if (answer.bytes === 0) return;
          change(answer, 0);
          leave(answer);
          answer.hasArrived = false;
          wake();
        },
      };
    },
    get bytes() {
      return total.bytes;
    },
  };
}

/** What is held in all, and of each user. */
function createShares() {
  const total: Share = { bytes: 0, arrived: 0 };
  const shares = new Map<number, Share>();
  const of = (userId: number): Share => shares.get(userId) ?? { bytes: 0, arrived: 0 };
  return {
    total,
    of,
    /** The answer has so many bytes from now on. */
    change(answer: Answer, bytes: number): void {
      const share = of(answer.userId);
      const more = bytes - answer.bytes;
      for (const sum of [total, share]) {
        sum.bytes += more;
        if (answer.hasArrived) sum.arrived += more;
      }
      answer.bytes = bytes;
      if (share.bytes > 0) shares.set(answer.userId, share);
      else shares.delete(answer.userId);
    },
  };
}
