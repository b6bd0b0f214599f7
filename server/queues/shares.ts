// How much of something there is in all, and how much of it each owner has: the figures behind every bound of "so much in all, so
// much an owner". What follows when there is too much is for those who count: to refuse, to wait, to estimate, to give a place up.
// Places in a line have an order, and lines within lines: `fair-lines.ts`.

export interface Shares<Owner> {
  /** So much more, or less. */
  add(owner: Owner, amount: number): void;
  of(owner: Owner): number;
  /** Whether so much more of this owner stays within those bounds that are given. */
  fits(owner: Owner, more: number, most: Partial<ShareLimits>): boolean;
  readonly total: number;
}

export interface ShareLimits {
  all: number;
  perOwner: number;
}

export function createShares<Owner>(): Shares<Owner> {
  // Owners of nothing are not in it.
  const shares = new Map<Owner, number>();
  let total = 0;
  return {
    add(owner, amount) {
      const share = (shares.get(owner) ?? 0) + amount;
      if (share > 0) shares.set(owner, share);
      else shares.delete(owner);
      total += amount;
    },
    of: (owner) => shares.get(owner) ?? 0,
    fits: (owner, more, { all = Infinity, perOwner = Infinity }) => total + more <= all && (shares.get(owner) ?? 0) + more <= perOwner,
    get total() {
      return total;
    },
  };
}
