import { expect, it } from 'vitest';
import type { Answer, Conversation } from '#pwa/offline/conversation.ts';
import { emptySettings } from './request-body.ts';
import { priceOf, roughCost, roughQuestion, roughTokens } from './rough-cost.ts';

const answer = (model: string, startedAt: number, text: string): Answer => ({
  model,
  state: 'done',
  text,
  reasoning: '',
  tool_calls: [],
  startedAt,
});
const conversation: Conversation = {
  userId: 1,
  id: 'c',
  title: '',
  updatedAt: 0,
  models: ['tide-1', 'tide-2'],
  settings: { ...emptySettings, system: 'a'.repeat(40) },
  turns: [
    { id: '1', text: 'b'.repeat(40), pictures: [], at: 0, answers: [answer('tide-1', 1, 'c'.repeat(400)), answer('tide-2', 1, 'd')] },
    { id: '2', text: '潮'.repeat(10), pictures: [], at: 0, answers: [answer('tide-1', 2, ''), answer('tide-2', 2, '')] },
  ],
};
const usage = { quota_type: 0, model_price: 0, model_ratio: 0.075, completion_ratio: 4 };
const offered = { name: 'tide-1', groups: ['default'], price: priceOf(usage) };

it('playground: a token is four letters, or one Chinese character', () => {
  expect(roughTokens('')).toBe(0);
  expect(roughTokens('abcdefgh')).toBe(2);
  expect(roughTokens('潮水何时转')).toBe(5);
  expect(roughTokens('潮水 tide')).toBe(4);
});

it('playground: a question is all that is sent for it, of its own column', () => {
  const [first, second] = conversation.turns;
  const of = (found: Answer | null | undefined) => (found === null || found === undefined ? undefined : roughQuestion(conversation, found));
  expect(of(first?.answers[0])).toBe(21);
  // The other column's answer was shorter.
  expect(of(second?.answers[0])).toBeGreaterThan(100);
  expect(of(second?.answers[1])).toBeLessThan(50);
  expect(roughQuestion(conversation, answer('tide-1', 9, ''))).toBeUndefined();
});

it('playground: the approximate cost is the price by usage and group, or of the call', () => {
  const counts = { groupRatio: 0.5, quotaPerUnit: 500_000, promptTokens: 1000, completionTokens: 100 };
  expect(roughCost({ offered, ...counts })).toBe(Math.ceil((1000 + 100 * 4) * 0.075 * 0.5));
  const perCall = { ...offered, price: priceOf({ ...usage, quota_type: 1, model_price: 0.02 }) };
  expect(roughCost({ offered: perCall, ...counts })).toBe(5_000);
});

it('playground: without a price, a ratio or a first token there is no approximate cost', () => {
  const counts = { offered, groupRatio: 1, quotaPerUnit: 500_000, promptTokens: 10, completionTokens: 10 };
  expect(roughCost(counts)).toBe(4);
  expect(roughCost({ ...counts, offered: undefined })).toBeUndefined();
  // Stored on the device by an older console.
  expect(roughCost({ ...counts, offered: { name: 'tide-1', groups: [] } })).toBeUndefined();
  expect(roughCost({ ...counts, groupRatio: undefined })).toBeUndefined();
  expect(roughCost({ ...counts, completionTokens: 0 })).toBeUndefined();
});
