import { expect, test } from 'vitest';
import { createFairQueue, type FairQueueLimits, QueueFull, type Source } from './fair-queue.ts';

/** A queue whose work ends on request. */
function arrange(limits: FairQueueLimits) {
  const queue = createFairQueue(limits);
  const order: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (source: Source | string, name: string) => {
    const work = () => {
      order.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    return queue.run(source, work).catch((failure: unknown) => {
      expect(failure).toBeInstanceOf(QueueFull);
      refused.push(name);
    });
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Ends the oldest running work, so that the next one starts. */
  const end = async () => {
    await settle();
    ends.shift()?.();
    await settle();
  };
  return { queue, order, refused, ask, end, settle };
}

test('fair queue: sources take turns, however much one has asked for', async () => {
  const { queue, order, ask, end } = arrange({ atOnce: 1, places: 10, placesPerSource: 5 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
  void ask('b', 'b1');
  void ask('c', 'c1');
  for (let count = 0; count < 6; count += 1) await end();
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
});

test('fair queue: no more at once than allowed, and none is lost when one fails', async () => {
  const queue = createFairQueue({ atOnce: 2, places: 50, placesPerSource: 50 });
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      queue.run('a', async () => {
        most = Math.max(most, queue.running);
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (index % 3 === 0) throw new Error('broken');
      }),
    ),
  );
  expect(most).toBe(2);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
});

test('fair queue: one source has so many places and no more', async () => {
  const { queue, refused, ask, settle } = arrange({ atOnce: 1, places: 10, placesPerSource: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
  await settle();
  expect(refused).toEqual(['a4']);
  expect(queue).toMatchObject({ running: 1, waiting: 2 });
});

test('fair queue: when all places are taken, who has the most makes room for who has less', async () => {
  const { order, refused, ask, end, settle } = arrange({ atOnce: 1, places: 3, placesPerSource: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
  void ask('b', 'b1');
  await settle();
  expect(refused).toEqual(['a4']);
  void ask('b', 'b2');
  void ask('a', 'a5');
  await settle();
  expect(refused).toEqual(['a4', 'b2', 'a5']);
  for (let count = 0; count < 5; count += 1) await end();
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('fair queue: networks take turns, and the sources within one', async () => {
  const { order, ask, end } = arrange({ atOnce: 1, places: 10, placesPerSource: 5 });
  void ask('first', 'runs');
  for (const name of ['a1', 'a2', 'a3']) void ask({ name, network: 'a' }, name);
  void ask({ name: 'a1', network: 'a' }, 'a1 again');
  for (const name of ['b1', 'b2']) void ask({ name: 'b1', network: 'b' }, name);
  for (let count = 0; count < 7; count += 1) await end();
  expect(order).toEqual(['runs', 'a1', 'b1', 'a2', 'b2', 'a3', 'a1 again']);
});

test('fair queue: a network has so many places, which its sources share', async () => {
  const { queue, refused, ask, settle } = arrange({ atOnce: 1, places: 10, placesPerNetwork: 3, placesPerSource: 3 });
  void ask('first', 'runs');
  for (const name of ['x1', 'x2', 'x3']) void ask({ name: 'x', network: 'a' }, name);
  for (const name of ['y', 'z', 'v']) void ask({ name, network: 'a' }, name);
  void ask({ name: 'x', network: 'b' }, 'elsewhere');
  await settle();
  // One of x's three is dropped for y, the next for z; no one has more than v would.
  expect(refused).toEqual(['x3', 'x2', 'v']);
  expect(queue.waiting).toBe(4);
});

test('fair queue: a crowd of one group leaves every other group its turns and its places', async () => {
  const { order, refused, ask, end, settle } = arrange({ atOnce: 1, places: 4, placesPerSource: 4 });
  void ask('first', 'runs');
  for (const name of ['s1', 's2', 's3', 's4', 's5']) void ask({ name, group: 'strangers' }, name);
  for (const name of ['o1', 'o2', 'o3']) void ask({ name, group: 'owners' }, name);
  void ask({ name: 's6', group: 'strangers' }, 's6');
  await settle();
  expect(refused.slice(0, 1)).toEqual(['s5']);
  expect(refused.filter((name) => name.startsWith('o'))).toEqual(['o3']);
  expect(refused).toContain('s6');
  for (let count = 0; count < 5; count += 1) await end();
  expect(order.map((name) => name[0]).join('')).toBe('rsoso');
});

test('fair queue: whatever is asked for, no place is lost and none is taken twice', async () => {
  const limits = { atOnce: 1, places: 12, placesPerNetwork: 6, placesPerSource: 3 };
  const { queue, order, refused, ask, end, settle } = arrange(limits);
  let requested = 0;
  for (let round = 0; round < 40; round += 1) {
    for (let count = 0; count < 7; count += 1) {
      const [group, network, name] = [(round * 7 + count) % 2, (round * 3 + count * count) % 4, (round + count * 5) % 5].map(String);
      void ask({ group: group ?? '', network: network ?? '', name: name ?? '' }, String((requested += 1)));
    }
    await settle();
    expect(queue.waiting).toBeLessThanOrEqual(limits.places);
    expect(order.length + refused.length + queue.waiting).toBe(requested);
    await end();
  }
  for (let count = 0; count < limits.places + 2; count += 1) await end();
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
  expect(new Set([...order, ...refused]).size).toBe(requested);
});
