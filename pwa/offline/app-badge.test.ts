import { afterEach, expect, it } from 'vitest';
import { showBadge } from './app-badge.ts';
import { publishOutbox, type QueuedEdit } from './outbox-store.ts';

const edit = (id: number): QueuedEdit => ({
  id,
  userId: 1,
  optionKey: 'SystemName',
  base: { value: 'a', revision: 1 },
  mine: 'b',
  editedAt: 1,
  state: 'waiting',
});

afterEach(() => publishOutbox([]));

it('app-badge: shows how many edits wait, and goes when none does or nobody looks any more', () => {
  const drawn: number[] = [];
  Object.assign(navigator, {
    setAppBadge: async (count: number) => void drawn.push(count),
    clearAppBadge: async () => void drawn.push(0),
  });
  publishOutbox([edit(1)]);
  const stop = showBadge();
  publishOutbox([edit(1), edit(2)]);
  publishOutbox([]);
  publishOutbox([edit(3)]);
  stop();
  publishOutbox([edit(3), edit(4)]);
  expect(drawn).toEqual([1, 2, 0, 1, 0]);
});
