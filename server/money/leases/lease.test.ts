// Arithmetic of a lease: no unit appears or is lost, and only free quota is granted.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  affordable,
  createLease,
  failLate,
  grant,
  grantLess,
  isOwing,
  type Lease,
  missing,
  type Refusal,
  refuse,
  type Waiter,
} from './lease.ts';

interface Requested {
  waiter: Waiter;
  result: number | Refusal | 'failed' | undefined;
}

function request(lease: Lease, amount: number, { least = amount, deadline = Infinity } = {}): Requested {
  const requested: Requested = {
    result: undefined,
    waiter: {
      amount,
      least,
      patientUntil: 0,
      deadline,
      resolve: (result) => (requested.result = result),
      reject: () => (requested.result = 'failed'),
    },
  };
  lease.waiters.push(requested.waiter);
  return requested;
}

function leaseOf(free: number): Lease {
  return Object.assign(createLease('user', 7), { free });
}

const amounts = fc.integer({ min: 0, max: 50 });
const waits = fc.array(
  fc.tuple(amounts, amounts).map(([a, b]) => ({ amount: Math.max(a, b), least: Math.min(a, b) })),
  { maxLength: 12 },
);

test('a lease: only free quota is granted, and each waiter gets its full amount or continues to wait', () => {
  fc.assert(
    fc.property(waits, amounts, (all, free) => {
      const lease = leaseOf(free);
      const requested = all.map(({ amount, least }) => request(lease, amount, { least }));
      grant(lease);
      const granted = requested.filter(({ result }) => result !== undefined);
      expect(granted.every(({ result, waiter }) => result === waiter.amount)).toBe(true);
      expect(lease.reserved).toBe(granted.reduce((sum, { waiter }) => sum + waiter.amount, 0));
      expect(lease.free + lease.reserved).toBe(free);
      expect(lease.free).toBeGreaterThanOrEqual(0);
      // In order: each remaining waiter did not fit at its turn, and so does not fit now.
      expect(lease.waiters).toEqual(requested.filter(({ result }) => result === undefined).map(({ waiter }) => waiter));
      expect(lease.waiters.every(({ amount }) => amount > lease.free)).toBe(true);
    }),
  );
});

test('a lease: the first waiter whose minimum is free gets the available quota up to its amount', () => {
  fc.assert(
    fc.property(waits, amounts, (all, free) => {
      const lease = leaseOf(free);
      const requested = all.map(({ amount, least }) => request(lease, amount, { least }));
      const isGranted = grantLess(lease, () => true);
      const first = requested.find(({ waiter }) => waiter.least <= free);
      expect(isGranted).toBe(first !== undefined);
      expect(first?.result).toBe(first === undefined ? undefined : Math.min(first.waiter.amount, free));
      expect(requested.filter(({ result }) => result !== undefined)).toHaveLength(first === undefined ? 0 : 1);
      expect(lease.free + lease.reserved).toBe(free);
      expect(lease.waiters).toHaveLength(all.length - (isGranted ? 1 : 0));
    }),
  );
});

test('a lease: the quota to take covers the waiters it is taken for and never exceeds the quota of the account', () => {
  fc.assert(
    fc.property(waits, amounts, fc.integer({ min: 0, max: 200 }), (all, free, quota) => {
      const lease = leaseOf(free);
      for (const { amount, least } of all) request(lease, amount, { least });
      const take = affordable(lease, quota);
      if (take === null) {
        expect(lease.waiters.every(({ amount }) => amount - free > quota)).toBe(true);
        return;
      }
      expect(take).toBeGreaterThanOrEqual(0);
      expect(take).toBeLessThanOrEqual(quota);
      lease.free += take;
      grant(lease);
      expect(lease.reserved).toBeGreaterThanOrEqual(take);
      // One unit less would have excluded a waiter.
      if (take > 0) expect(lease.free).toBe(0);
    }),
  );
});

test('a lease: missing quota is the sum that waiters request beyond the free quota', () => {
  const lease = leaseOf(30);
  expect(missing(lease)).toBe(0);
  request(lease, 20);
  expect(missing(lease)).toBe(0);
  request(lease, 25);
  expect(missing(lease)).toBe(15);
});

test('a lease of an account in debt grants only reservations of 0', () => {
  const lease = Object.assign(leaseOf(100), { knownQuota: -1 });
  expect(isOwing(lease)).toBe(true);
  const [some, none] = [request(lease, 1), request(lease, 0)];
  grant(lease);
  expect([some.result, none.result]).toEqual([undefined, 0]);
  lease.knownQuota = 0;
  grant(lease);
  expect(some.result).toBe(1);
});

test('a lease: a refusal reports the balance and the minimum needed, and leaves other waiters waiting', () => {
  const lease = leaseOf(3);
  const [large, small] = [request(lease, 10, { least: 5 }), request(lease, 4)];
  refuse(lease, 3, ({ least }) => least > 4);
  expect(large.result).toEqual({ account: lease, balance: 3, need: 5 });
  expect(small.result).toBeUndefined();
  expect(lease.waiters).toEqual([small.waiter]);
  expect([lease.free, lease.reserved]).toEqual([3, 0]);
});

test('a lease: calls past their deadline fail, others continue to wait', () => {
  const lease = leaseOf(0);
  const [late, early] = [request(lease, 1, { deadline: performance.now() - 1 }), request(lease, 1, { deadline: Infinity })];
  failLate(lease);
  expect([late.result, early.result]).toEqual(['failed', undefined]);
  expect(lease.waiters).toEqual([early.waiter]);
});
