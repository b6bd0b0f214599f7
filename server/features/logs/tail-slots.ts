// Limits who may follow the log at the same time. Administrators have separate slots, so that users cannot take them all; users share theirs by
// account and by address.
import { AppError } from '#shared/errors.ts';
import { subscriberOf } from '#server/http/client-address.ts';

export interface Follower {
  userId: number;
  isAdmin: boolean;
  ip: string;
}

export interface TailSlot {
  /** Aborted when the slot was given to a user without any stream. */
  readonly lost: AbortSignal;
  leave(): void;
}

export interface TailSlots {
  /** @throws {AppError} `tails_open` */
  take(follower: Follower): TailSlot;
}

const mostOfAccount = 5;
const mostOfAddress = 50;
const places = { users: 150, admins: 50 };

interface Taken extends Follower {
  address: string;
  lost: AbortController;
}

export function createTailSlots(): TailSlots {
  const taken = new Set<Taken>();

  const countOf = (test: (one: Taken) => boolean) => [...taken].filter(test).length;

  function makeRoom({ userId, isAdmin }: Follower): boolean {
    const pool = [...taken].filter((one) => one.isAdmin === isAdmin);
    if (pool.length < (isAdmin ? places.admins : places.users)) return true;
    if (pool.some((one) => one.userId === userId)) return false;
    const spare = spareOf(pool);
    if (spare === undefined) return false;
    taken.delete(spare);
    spare.lost.abort();
    return true;
  }

  return {
    take(follower) {
      const address = subscriberOf(follower.ip);
      const isFull =
        countOf(({ userId }) => userId === follower.userId) >= mostOfAccount ||
        (!follower.isAdmin && countOf((one) => !one.isAdmin && one.address === address) >= mostOfAddress) ||
        !makeRoom(follower);
      if (isFull) throw new AppError('tails_open', {}, { retryAfter: 30 });
      const place: Taken = { ...follower, address, lost: new AbortController() };
      taken.add(place);
      return { lost: place.lost.signal, leave: () => void taken.delete(place) };
    },
  };
}

/** Returns the newest stream of the account that has the most, unless no account has more than one. */
function spareOf(pool: readonly Taken[]): Taken | undefined {
  const counts = new Map<number, number>();
  for (const { userId } of pool) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return most > 1 ? pool.findLast(({ userId }) => counts.get(userId) === most) : undefined;
}
