// Compares records independently of the order of their fields, and sums what their collections stand for.
import { createHash } from 'node:crypto';
import type { CollectionName } from '#server/db/database.ts';

/** JSON text with sorted keys. */
export function canonical(doc: string): string {
  return JSON.stringify(sorted(JSON.parse(doc)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, unknown][] = Object.entries(value);
  // `fromEntries` also stores a key such as `__proto__`.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

/** Fields whose totals a copy reports, in quota. */
const summed: { [Name in CollectionName]?: readonly string[] } = {
  users: ['quota', 'used_quota'],
  tokens: ['remain_quota', 'used_quota'],
  ledger: ['amount'],
  logs: ['quota', 'token_quota'],
  redemptions: ['quota'],
  budget_periods: ['quota', 'used_quota'],
};

export interface CollectionDigest {
  rows: number;
  /** SHA-256 over the canonical records in id order. */
  hash: string;
  sums: Record<string, string>;
}

/** Digest of one collection, row by row. */
export function createDigest(name: CollectionName): { add(doc: string): void; end(): CollectionDigest } {
  const hash = createHash('sha256');
  const fields = summed[name] ?? [];
  const sums = new Map<string, bigint>();
  let rows = 0;
  return {
    add(doc) {
      rows += 1;
      hash.update(doc).update('\n');
      if (fields.length === 0) return;
      const record: unknown = JSON.parse(doc);
      for (const field of fields) {
        const value: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, field) : undefined;
        if (typeof value === 'number' && Number.isSafeInteger(value)) sums.set(field, (sums.get(field) ?? 0n) + BigInt(value));
      }
    },
    end: () => ({ rows, hash: hash.digest('hex'), sums: Object.fromEntries([...sums].map(([field, sum]) => [field, String(sum)])) }),
  };
}
