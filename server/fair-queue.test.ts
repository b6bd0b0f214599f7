import { expect, test } from 'vitest';
import { createFairQueue, QueueFull } from '#server/fair-queue.ts';

/** A queue whose pieces end when they are told to. */
function arrange(limits: { atOnce: number; places: number; placesPerSource: number }) {
  const queue = createFairQueue(limits);
  const order: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (source: string, name: string) => {
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
  /** Ends the piece that began first and lets the next one begin. */
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
