// Counts amounts in total and per owner, for all limits of that kind. The caller decides what happens beyond a limit:
// refuse, wait, estimate, evict. For ordered waiting, see `fair-lines.ts`.

export interface Shares<Owner> {
  /** Adds an amount, or subtracts a negative one. */
  add(owner: Owner, amount: number): void;
  of(owner: Owner): number;
  /** Reports whether `more` for this owner stays within the given limits. */
  fits(owner: Owner, more: number, most: Partial<ShareLimits>): boolean;
  readonly total: number;
}

export interface ShareLimits {
  all: number;
  perOwner: number;
}

export function createShares<Owner>(): Shares<Owner> {
  // Owners with zero are removed.
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
