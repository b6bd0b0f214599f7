import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createChannelPicker } from '#server/call/routing/channel-picker.ts';
import { drawWeight, type Tier } from '#server/exchange/served-models.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import type { Affinity } from './affinity.ts';
import { createMovedCalls } from './moved-calls.ts';
import { createAffinityPick } from './pick-by-affinity.ts';

interface Member {
  id: number;
  weight?: number;
  priority?: number;
}

function setUp(members: Member[], factors: Record<number, number> = {}) {
  const priorities = [...new Set(members.map((member) => member.priority ?? 0))].sort((a, b) => b - a);
  const tiers: Tier[] = priorities.map((priority) => {
    const channels = members.filter((member) => (member.priority ?? 0) === priority).map((member) => buildPreparedChannel(member));
    let sum = 0;
    return { priority, channels, sums: channels.map((channel) => (sum += drawWeight(channel))) };
  });
  const time = { now: 0 };
  const pickByAffinity = createAffinityPick(createMovedCalls(() => time.now));
  const health = { factor: (id: number) => factors[id] ?? 1, admit: () => {} };
  const picker = createChannelPicker({ index: { tiers: () => tiers }, health, keys: { isReady: () => true }, random: Math.random });
  const pickFor = (affinity: Affinity, ...tried: number[]) =>
    picker.pick({
      group: 'g',
      model: 'm',
      caller: 1,
      tried: new Set(tried),
      chooser: { pick: (choice) => pickByAffinity(affinity, choice) },
    })?.id ?? null;
  return { pickFor, time };
}

/** As they come: hashes of anything. */
function conversations(count: number, seed = 1): Affinity[] {
  return Array.from({ length: count }, (_, at) => {
    const hash = createHash('sha256').update(`${seed}:${at}`).digest();
    return { high: hash.readUInt32LE(0), low: hash.readUInt32LE(4), turns: 1, prompts: 1, alike: 0, reported: 0 };
  });
}

describe('pick for a conversation', () => {
  const members = [
    { id: 11, weight: 0 },
    { id: 12, weight: 20 },
    { id: 13, weight: 50 },
  ];

  it('gives each the same channel every time, and over many of them the weights hold', () => {
    const { pickFor } = setUp(members);
    const all = conversations(20_000);
    const counts = new Map<number | null, number>();
    for (const affinity of all) {
      const id = pickFor(affinity);
      expect(pickFor(affinity)).toBe(id);
      counts.set(id, (counts.get(id) ?? 0) + 1 / all.length);
    }
    expect(counts.get(11)).toBeCloseTo(0.1, 2);
    expect(counts.get(12)).toBeCloseTo(0.3, 2);
    expect(counts.get(13)).toBeCloseTo(0.6, 2);
  });

  it('is the same in every process, and what comes or goes takes no more conversations along than its share', () => {
    const all = conversations(5_000, 2);
    const before = setUp(members);
    const again = setUp(members);
    const without = setUp(members.slice(1));
    for (const affinity of all) {
      const id = before.pickFor(affinity);
      expect(again.pickFor(affinity)).toBe(id);
      if (id !== 11) expect(without.pickFor(affinity)).toBe(id);
    }
  });

  it('keeps to priorities', () => {
    const { pickFor } = setUp([...members.map((member) => ({ ...member, priority: 5 })), { id: 1, weight: 1000, priority: 9 }]);
    for (const affinity of conversations(50)) {
      expect(pickFor(affinity)).toBe(1);
      expect([11, 12, 13]).toContain(pickFor(affinity, 1));
    }
  });

  it('moves only what belongs on a sick channel, shares it out by weight, and brings it back when the cache is no reason to stay', () => {
    const factors: Record<number, number> = {};
    const { pickFor, time } = setUp(members, factors);
    const all = conversations(2_000, 3);
    const own = all.map((affinity) => pickFor(affinity));
    factors[13] = 0;
    const moved = all.map((affinity) => pickFor(affinity));
    const counts = new Map<number | null, number>();
    for (const [at, id] of moved.entries()) {
      if (own[at] === 13) counts.set(id, (counts.get(id) ?? 0) + 1);
      else expect(id).toBe(own[at]);
    }
    expect(counts.get(13)).toBeUndefined();
    expect((counts.get(12) ?? 0) / (counts.get(11) ?? 1)).toBeGreaterThan(2);
    factors[13] = 1;
    // What is read within its lifetime stays in the new channel's cache.
    time.now = 4 * 60_000;
    expect(all.map((affinity) => pickFor(affinity))).toEqual(moved);
    time.now = 8 * 60_000;
    expect(all.map((affinity) => pickFor(affinity))).toEqual(moved);
    time.now = 14 * 60_000;
    expect(all.map((affinity) => pickFor(affinity))).toEqual(own);
  });

  it('brings back one that never pauses after an hour', () => {
    const factors: Record<number, number> = {};
    const { pickFor, time } = setUp([{ id: 1, priority: 5 }, { id: 2 }], factors);
    const [one] = conversations(1);
    if (one === undefined) throw new Error('There is no conversation');
    factors[1] = 0;
    expect(pickFor(one)).toBe(2);
    factors[1] = 1;
    for (time.now = 0; time.now <= 60 * 60_000; time.now += 60_000) expect(pickFor(one)).toBe(2);
    expect(pickFor(one)).toBe(1);
  });

  it('goes on in its order after a failure, and comes to each channel once', () => {
    const { pickFor } = setUp(members);
    for (const affinity of conversations(20)) {
      const first = pickFor(affinity) ?? 0;
      const second = pickFor(affinity, first) ?? 0;
      const third = pickFor(affinity, first, second) ?? 0;
      expect(new Set([first, second, third]).size).toBe(3);
      expect(pickFor(affinity, first, second, third)).toBeNull();
    }
  });

  it('takes a sick one rather than none', () => {
    const [one] = conversations(1);
    if (one === undefined) throw new Error('There is no conversation');
    expect(setUp([{ id: 1 }], { 1: 0 }).pickFor(one)).toBe(1);
  });

  it('looks at each of a thousand channels no more than once', () => {
    let looks = 0;
    const factors = new Proxy<Record<number, number>>({}, { get: () => void (looks += 1) });
    const { pickFor } = setUp(
      Array.from({ length: 1000 }, (_, at) => ({ id: at + 1 })),
      factors,
    );
    const all = conversations(20);
    for (const affinity of all) expect(pickFor(affinity)).not.toBeNull();
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(all.length * 1000);
  });
});
