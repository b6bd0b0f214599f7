import { expect, it } from 'vitest';
import { usageOfOthers } from './usage-of-others.ts';

const part = (id: string, quota: number) => ({ id, name: '', calls: 1, tokens: 1, quota });

it('counts what service accounts and former members have used, and nothing of the members', () => {
  const parts = [part('0', 30), part('7', 500), part('8', 12), part('9', 1)];
  expect(usageOfOthers(parts, [{ user_id: 7 }, { user_id: 9 }])).toBe(42);
  expect(usageOfOthers(parts.slice(1, 2), [{ user_id: 7 }])).toBe(0);
  expect(usageOfOthers([], [])).toBe(0);
});
