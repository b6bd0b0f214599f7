import { leasesOf, type Reservation } from '#server/money/leases/reservation.ts';

type OfAccounts = { readonly reservation: Pick<Reservation, 'user' | 'token' | 'budgets'> };

export function sharesAccount({ reservation: one }: OfAccounts, { reservation: other }: OfAccounts): boolean {
  const leases = leasesOf(other);
  return leasesOf(one).some((lease) => leases.includes(lease));
}
