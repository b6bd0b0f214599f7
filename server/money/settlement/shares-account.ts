import type { Reservation } from '#server/money/leases/reservation.ts';

type OfAccounts = { readonly reservation: Pick<Reservation, 'user' | 'token'> };

export function sharesAccount({ reservation: one }: OfAccounts, { reservation: other }: OfAccounts): boolean {
  return one.user === other.user || (one.token !== null && one.token === other.token);
}
