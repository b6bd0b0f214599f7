import { describe, expect, it } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { createTailSlots } from './tail-slots.ts';

const user = (userId: number, ip = `198.51.100.${userId % 250}`) => ({ userId, isAdmin: false, ip });
const admin = { userId: 1, isAdmin: true, ip: '203.0.113.1' };

describe('places of those who follow the log', () => {
  it('strangers who take all that they can leave room for administrators, and for who follows nothing yet', () => {
    const places = createTailSlots();
    const first = Array.from({ length: 30 }, (_, index) => Array.from({ length: 5 }, () => places.take(user(100 + index)))).flat();
    for (let count = 0; count < 5; count += 1) places.take(admin);
    expect(first.some(({ lost }) => lost.aborted)).toBe(false);
    places.take(user(200));
    expect(first.filter(({ lost }) => lost.aborted)).toHaveLength(1);
    // A user who has a stream already waits for a slot.
    expect(() => places.take(user(200))).toThrow(AppError);
  });

  it('a place that was lost is not given back twice', () => {
    const places = createTailSlots();
    const held = Array.from({ length: 30 }, (_, index) => Array.from({ length: 5 }, () => places.take(user(100 + index)))).flat();
    places.take(user(200));
    for (const place of held.filter(({ lost }) => lost.aborted)) place.leave();
    expect(() => places.take(user(200))).toThrow(AppError);
    held.find(({ lost }) => !lost.aborted)?.leave();
    expect(places.take(user(200)).lost.aborted).toBe(false);
  });

  it('with one stream each nobody loses theirs', () => {
    const places = createTailSlots();
    const held = Array.from({ length: 150 }, (_, index) => places.take(user(index + 2)));
    expect(() => places.take(user(500))).toThrow(AppError);
    expect(held.some(({ lost }) => lost.aborted)).toBe(false);
  });

  it('one address has a third of them, whatever accounts it has; administrators there are not counted', () => {
    const places = createTailSlots();
    const here = '2001:db8::1';
    for (let id = 10; id < 60; id += 1) places.take(user(id, `2001:db8::${id}`));
    expect(() => places.take(user(9, here))).toThrow(AppError);
    expect(places.take({ ...admin, ip: here }).lost.aborted).toBe(false);
    expect(places.take(user(9, '192.0.2.1')).lost.aborted).toBe(false);
  });
});
