import { describe, expect, it } from 'vitest';
import { drawWeight, type Tier } from '#server/exchange/served-models.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { createChannelPicker } from './channel-picker.ts';

interface Member {
  id: number;
  weight?: number;
  priority?: number;
}

function setUp(members: Member[], factors: Record<number, number> = {}, random: () => number = Math.random) {
  const priorities = [...new Set(members.map((member) => member.priority ?? 0))].sort((a, b) => b - a);
  const tiers: Tier[] = priorities.map((priority) => {
    const channels = members.filter((member) => (member.priority ?? 0) === priority).map((member) => buildPreparedChannel(member));
    let sum = 0;
    return { priority, channels, sums: channels.map((channel) => (sum += drawWeight(channel))) };
  });
  const admitted: number[] = [];
  const health = { factor: (id: number) => factors[id] ?? 1, admit: (id: number) => void admitted.push(id) };
  const picker = createChannelPicker({ index: { tiers: () => tiers }, health, keys: { isReady: () => true }, random });
  const pick = (...tried: number[]) => picker.pick({ group: 'g', model: 'm', caller: 1, tried: new Set(tried) })?.id ?? null;
  const shares = (turns: number) => {
    const counts: Record<number, number> = {};
    for (let turn = 0; turn < turns; turn++) {
      const id = pick() ?? 0;
      counts[id] = (counts[id] ?? 0) + 1 / turns;
    }
    return counts;
  };
  return { pick, shares, admitted };
}

describe('pick', () => {
  it('returns null without channels', () => expect(setUp([]).pick()).toBeNull());

  it('draws channels in proportion to their weight plus ten', () => {
    const { shares } = setUp([
      { id: 1, weight: 0 },
      { id: 2, weight: 20 },
      { id: 3, weight: 50 },
    ]);
    const counts = shares(20_000);
    expect(counts[1]).toBeCloseTo(0.1, 1);
    expect(counts[2]).toBeCloseTo(0.3, 1);
    expect(counts[3]).toBeCloseTo(0.6, 1);
  });

  it('draws the channel whose range of weights contains the random point, at both ends', () => {
    const members = [
      { id: 1, weight: 0 },
      { id: 2, weight: 0 },
    ];
    for (const [point, id] of [
      [0, 1],
      [0.499, 1],
      [0.5, 2],
      [0.999, 2],
    ] as const)
      expect(setUp(members, {}, () => point).pick()).toBe(id);
  });

  it('tries priorities in descending order, and each channel once', () => {
    const { pick } = setUp([
      { id: 1, priority: 5 },
      { id: 2, priority: 5 },
      { id: 3, priority: -1 },
    ]);
    const first = pick();
    expect([1, 2]).toContain(first);
    expect(pick(1)).toBe(2);
    expect(pick(2)).toBe(1);
    expect(pick(1, 2)).toBe(3);
    expect(pick(1, 2, 3)).toBeNull();
  });

  it('prefers healthy channels of any priority to unhealthy ones', () => {
    const { pick } = setUp(
      [
        { id: 1, priority: 5 },
        { id: 2, priority: 1 },
      ],
      { 1: 0 },
    );
    for (let turn = 0; turn < 20; turn++) expect(pick()).toBe(2);
    expect(pick(2)).toBe(1);
  });

  it('draws an unhealthy channel by priority if no healthy one is left', () => {
    expect(
      setUp(
        [
          { id: 1, priority: 5 },
          { id: 2, priority: 1 },
        ],
        { 1: 0, 2: 0 },
      ).pick(),
    ).toBe(1);
  });

  it('multiplies weights by the health factor', () => {
    const counts = setUp([{ id: 1 }, { id: 2 }], { 1: 0.25 }).shares(20_000);
    expect(counts[1]).toBeCloseTo(0.2, 1);
  });

  it('reports the drawn channel to the health monitor', () => {
    const { pick, admitted } = setUp([{ id: 4 }]);
    pick();
    expect(admitted).toEqual([4]);
  });

  it('checks few of a thousand healthy channels', () => {
    let looks = 0;
    const factors = new Proxy<Record<number, number>>({}, { get: () => void (looks += 1) });
    const { pick } = setUp(
      Array.from({ length: 1000 }, (_, at) => ({ id: at + 1 })),
      factors,
    );
    for (let turn = 0; turn < 1000; turn++) expect(pick()).not.toBeNull();
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(20_000);
  });
});
