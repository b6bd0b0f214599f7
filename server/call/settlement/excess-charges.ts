// Makes calls wait while a charge of their account above its reservation is settled, because the balance is unknown until then.
// So the largest possible loss is that of the calls in flight.
import { setTimeout as sleep } from 'node:timers/promises';

export interface ExcessCharges {
  /** Notes a charge. `settling` ends when the charge is durable, or has failed. */
  begin(userId: number, settling: Promise<unknown>): void;
  /** Resolves when all current charges of the account are settled; undefined, the usual case, if there are none. */
  settled(userId: number): Promise<unknown> | undefined;
}

/** Maximum wait. Only an unavailable database takes longer, and the reservation reports that. */
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
