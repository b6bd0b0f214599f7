import { expect, test } from 'vitest';
import { createTurnQueue } from './turn-queue.ts';

function fill(...items: string[]) {
  const queue = createTurnQueue<string, string>();
  for (const item of items) queue.add(item[0] ?? '', item);
  const rest = () => Array.from({ length: queue.size }, () => queue.take());
  return { queue, rest };
}

test('turn queue: owners have turns one after the other, in the order in which they came', () => {
  const { queue, rest } = fill('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
  expect(queue.size).toBe(6);
  expect(queue.first()).toEqual({ owner: 'a', item: 'a1' });
  expect(rest()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect([queue.take(), queue.first(), queue.size]).toEqual([undefined, undefined, 0]);
});

test('turn queue: who has had a turn is behind those who came meanwhile, whatever still waits', () => {
  const { queue, rest } = fill('a1', 'a2');
  queue.add('b', 'b1');
  queue.passOn('a');
  queue.passOn('nobody');
  expect(rest()).toEqual(['b1', 'a1', 'a2']);
});

test('turn queue: what is removed waits no longer, and its owner loses no turn', () => {
  const { queue, rest } = fill('a1', 'a2', 'b1');
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  queue.remove('b', 'b1');
  expect(queue.of('b')).toEqual([]);
  expect(queue.size).toBe(1);
  expect(rest()).toEqual(['a2']);
});
