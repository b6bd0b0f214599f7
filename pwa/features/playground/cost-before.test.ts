import { expect, test } from 'vitest';
import type { Conversation } from '#pwa/offline/conversation.ts';
import { priceOf } from './rough-cost.ts';
import { costBefore } from './cost-before.ts';
import { emptySettings } from './request-body.ts';

const price = priceOf({ quota_type: 0, model_price: 0, model_ratio: 1, completion_ratio: 4 });
const requested = (settings: Partial<Conversation['settings']> = {}) => ({ turns: [], settings: { ...emptySettings, ...settings } });
const model = { price, groupRatio: 2 };

test('a question costs by its length, an answer by the thousand tokens, and at most what the limit allows', () => {
  const cost = costBefore(requested(), 'x'.repeat(400), [model], 500_000);
  expect(cost).toMatchObject({ perThousand: 8000, most: undefined });
  expect(cost?.question).toBeGreaterThan(190);
  expect(cost?.question).toBeLessThan(220);
  const limited = costBefore(requested({ max_tokens: 100 }), 'x'.repeat(400), [model], 500_000);
  expect(limited?.most).toBe((cost?.question ?? 0) + 800);
});

test('two models cost both, and one without a price says nothing', () => {
  const one = costBefore(requested(), 'hello', [model], 500_000);
  const two = costBefore(requested(), 'hello', [model, model], 500_000);
  expect(two?.perThousand).toBe(2 * (one?.perThousand ?? 0));
  expect(costBefore(requested(), 'hello', [model, { price: undefined, groupRatio: 1 }], 500_000)).toBeUndefined();
  expect(costBefore(requested(), 'hello', [], 500_000)).toBeUndefined();
});

test('a price by the call is the whole of it', () => {
  const cost = costBefore(requested(), 'hello', [{ price: { kind: 'call', modelPrice: 0.01 }, groupRatio: 1 }], 500_000);
  expect(cost).toMatchObject({ question: 5000, perThousand: 0 });
});
