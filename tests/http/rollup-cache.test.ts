import { expect, it } from 'vitest';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import { RollupCache } from '#server/logs/rollup-cache.ts';
import { onEachEngine } from '#tests/support/engines.ts';
import { watchGroups } from '#tests/support/watched-database.ts';

const record = (name: string, quota: number): UsageSumRecord => ({
  id: name,
  key: 'k',
  start: 0,
  name,
  calls: 1,
  errors: 0,
  quota,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_byte_ms: 0,
  duration_ms: 0,
});
const request = { filter: { and: [{ key: 'k' }] }, by: ['name'] as const, sum: { quota: 'quota' as const } };

onEachEngine('sums of folded hours', (current) => {
  it('are read once for all who ask, and anew when the generation grows or after a while', async () => {
    const { db } = current();
    await db.collection('usage_sums').insert(record('a', 5));
    let reads = 0;
    let now = 1_000;
    const stored = new RollupCache(
      watchGroups(db, async () => void (reads += 1)),
      () => now,
    );
    const quota = async (generation: number) => (await stored.ofUsage(generation, request)).map((row) => row['quota']);
    expect(await Promise.all([quota(1), quota(1), quota(1)])).toEqual([[5], [5], [5]]);
    expect(reads).toBe(1);
    await db.collection('usage_sums').patch({ id: 'a' }, { set: { quota: 7 } });
    expect(await quota(2)).toEqual([7]);
    expect(reads).toBe(2);
    now += 299_999;
    await quota(2);
    expect(reads).toBe(2);
    await db.collection('usage_sums').patch({ id: 'a' }, { set: { quota: 8 } });
    now += 2;
    expect(await quota(2)).toEqual([8]);
    // Another question is another answer.
    expect(await stored.ofUsage(2, { ...request, filter: { and: [{ key: 'other' }] } })).toEqual([]);
    expect(reads).toBe(4);
  });

  it('a question that failed is asked again', async () => {
    const { db } = current();
    await db.collection('usage_sums').insert(record('a', 5));
    let isAway = true;
    const stored = new RollupCache(
      watchGroups(db, async () => {
        if (isAway) throw new Error('away');
      }),
    );
    await expect(stored.ofUsage(1, request)).rejects.toThrow('away');
    isAway = false;
    expect(await stored.ofUsage(1, request)).toHaveLength(1);
  });

  it('what was asked for longest ago goes first', async () => {
    const { db } = current();
    await db.collection('usage_sums').insert(record('a', 5));
    let reads = 0;
    const stored = new RollupCache(watchGroups(db, async () => void (reads += 1)));
    const ask = (key: string) => stored.ofUsage(1, { ...request, filter: { and: [{ key }] } });
    await ask('first');
    await ask('second');
    await ask('first');
    for (let index = 0; index < 999; index += 1) await ask(`other ${index}`);
    const before = reads;
    await ask('first');
    expect(reads).toBe(before);
    await ask('second');
    expect(reads).toBe(before + 1);
  });
});
