// Calls whose upstream reported more than was reserved for them. Until such a charge is settled the account's balance is unknown, so that its next
// calls wait for it: the largest possible loss is that of the calls in flight.
import { setTimeout as sleep } from 'node:timers/promises';

export interface ExcessCharges {
  /** `settling` ends when the charge is durable, or never will be. */
  begin(userId: number, settling: Promise<unknown>): void;
  /** Ends when all charges of that account that are settled now are; undefined, the usual case: there are none. */
  settled(userId: number): Promise<unknown> | undefined;
}

/** Longer than this a settlement takes when the database is away. Reserving says so then. */
const mostMs = 5_000;

export function createExcessCharges(): ExcessCharges {
  const open = new Map<number, Set<Promise<unknown>>>();
  return {
    begin(userId, settling) {
      let charges = open.get(userId);
      if (charges === undefined) open.set(userId, (charges = new Set()));
      const charge = settling.catch(() => {});
      charges.add(charge);
      const end = (): void => {
        charges.delete(charge);
        if (charges.size === 0) open.delete(userId);
      };
      void charge.then(end);
    },
    settled(userId) {
      const charges = open.get(userId);
      return charges === undefined ? undefined : Promise.race([Promise.all(charges), sleep(mostMs, undefined, { ref: false })]);
    },
  };
}
