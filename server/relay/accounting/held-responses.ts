// Whole responses that are held: while they come, while they are decoded, and until their callers have read them. So many bytes
// of them fit into the process, and of one user. Who asks for more is read more slowly: what has no room waits in its upstream's
// connection, because a response that was thrown away would be paid for all the same.

export interface HeldResponses {
  open(userId: number): HeldResponse;
  /** Held now. */
  readonly bytes: number;
}

/** The response of one call; of its next try when that of one has ended. */
export interface HeldResponse {
  /** It has so many bytes now. False: it is to come no further until `goOn` is called. */
  grow(bytes: number, goOn: () => void): boolean;
  /** All of it has come, or what was made of it has so many bytes. */
  arrived(bytes: number): void;
  /** Nothing of it is held any more. */
  ended(): void;
}

export interface HeldLimits {
  /** Bytes of all responses, and of those of one user; one more response always gets through. */
  all: number;
  perUser: number;
}

const usualLimits: HeldLimits = { all: 256 * 1024 * 1024, perUser: 128 * 1024 * 1024 };

interface Share {
  bytes: number;
  /** Of those that have come. */
  arrived: number;
}

interface Held {
  userId: number;
  bytes: number;
  hasArrived: boolean;
  goOn: (() => void) | undefined;
}

export function createHeldResponses({ all, perUser }: HeldLimits = usualLimits): HeldResponses {
  const { total, of, change } = createShares();
  /** Those that still come, the oldest first. */
  const coming = new Set<Held>();

  /**
   * The oldest goes on in any case, so that two of them do not wait for each other; but not beyond what callers have yet to read,
   * and one that its own user holds back holds back nobody else.
   */
  function mayGoOn(response: Held): boolean {
    const fits = total.bytes <= all || (total.arrived <= all && isFirst(response, fitsUser));
    return fits && fitsUser(response);
  }

  function fitsUser(response: Held): boolean {
    const { userId } = response;
    const share = of(userId);
    return share.bytes <= perUser || (share.arrived === 0 && isFirst(response, (other) => other.userId === userId));
  }

  function isFirst(response: Held, counts: (other: Held) => boolean): boolean {
    for (const other of coming) if (counts(other)) return other === response;
    return false;
  }

  function leave(response: Held): void {
    coming.delete(response);
    response.goOn = undefined;
  }

  /** There is room again, or somebody else is the oldest. */
  function wake(): void {
    for (const response of coming) {
      const { goOn } = response;
      if (goOn === undefined || !mayGoOn(response)) continue;
      response.goOn = undefined;
      goOn();
    }
  }

  return {
    open(userId) {
      const response: Held = { userId, bytes: 0, hasArrived: false, goOn: undefined };
      return {
        grow(bytes, goOn) {
          coming.add(response);
          change(response, bytes);
          const isFree = mayGoOn(response);
          response.goOn = isFree ? undefined : goOn;
          return isFree;
        },
        arrived(bytes) {
          // Short ones are not counted.
          if (response.bytes === 0) return;
          change(response, 0);
          leave(response);
          response.hasArrived = true;
          change(response, bytes);
          wake();
        },
        ended() {
          if (response.bytes === 0) return;
          change(response, 0);
          leave(response);
          response.hasArrived = false;
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
    /** The response has so many bytes from now on. */
    change(response: Held, bytes: number): void {
      const share = of(response.userId);
      const more = bytes - response.bytes;
      for (const sum of [total, share]) {
        sum.bytes += more;
        if (response.hasArrived) sum.arrived += more;
      }
      response.bytes = bytes;
      if (share.bytes > 0) shares.set(response.userId, share);
      else shares.delete(response.userId);
    },
  };
}
