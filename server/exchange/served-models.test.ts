import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import { createServedModels, drawWeight, type Tier } from './served-models.ts';

const groups = ['default', 'vip', 'other'];
const models = ['gpt-4o', 'tide', 'gpt-4-gizmo-*', 'gpt-4-gizmo-sea', 'gpt-4-gizmo-land'];

const channelFields = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  models: fc.subarray(models).map((names) => names.join(',')),
  group: fc.subarray(groups, { minLength: 1 }).map((names) => names.join(',')),
  priority: fc.integer({ min: -1, max: 1 }),
  weight: fc.integer({ min: 0, max: 3 }),
  status: fc.constantFrom(1, 1, 1, 2, 3),
  model_mapping: fc.constantFrom('', '', 'no JSON'),
});
const steps = fc.array(fc.oneof(channelFields, fc.integer({ min: 1, max: 6 })), { maxLength: 25 });

/** Expected `tiers`, computed from all channels. */
function expectedTiers(all: Iterable<PreparedChannel>, group: string, model: string): Tier[] {
  const serving = [...all]
    .filter((channel) => channel.status === 1 && channel.problem === null && channel.groups.includes(group))
    .filter((channel) => channel.models.includes(model) || channel.models.includes(pricedName(model)))
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id);
  return [...new Set(serving.map(({ priority }) => priority))].map((priority) => {
    const channels = serving.filter((channel) => channel.priority === priority);
    return {
      priority,
      channels,
      sums: channels.map((_, index) => channels.slice(0, index + 1).reduce((sum, one) => sum + drawWeight(one), 0)),
    };
  });
}

test('served models: after any additions, changes and removals they are those of the current channels', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const served = createServedModels();
      const channels = new Map<number, PreparedChannel>();
      for (const change of changes) {
        const id = typeof change === 'number' ? change : change.id;
        const before = channels.get(id);
        if (before !== undefined) served.unlist(before);
        channels.delete(id);
        if (typeof change !== 'number') {
          const channel = buildPreparedChannel(change);
          channels.set(id, channel);
          served.list(channel);
        }
        // Queried between changes as well, so stale caches are found.
        for (const group of groups) {
          for (const model of models) expect(served.tiers(group, model)).toEqual(expectedTiers(channels.values(), group, model));
        }
        const inUse = [...channels.values()].filter((channel) => channel.status === 1 && channel.problem === null);
        expect(served.names()).toEqual([...new Set(inUse.flatMap((channel) => channel.models))].sort());
        for (const model of models) {
          expect(served.groupsOf(model)).toEqual(
            groups.filter((group) => expectedTiers(channels.values(), group, model).length > 0).sort(),
          );
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('served models: names are those of the requested groups, each once', () => {
  const served = createServedModels();
  served.list(buildPreparedChannel({ id: 1, models: 'b,a', group: 'default' }));
  served.list(buildPreparedChannel({ id: 2, models: 'c,a', group: 'vip' }));
  expect(served.names(['default'])).toEqual(['a', 'b']);
  expect(served.names(['vip', 'default'])).toEqual(['a', 'b', 'c']);
  expect(served.names(['nobody'])).toEqual([]);
  expect(served.names([])).toEqual([]);
});
