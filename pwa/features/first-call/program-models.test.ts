import { expect, test } from 'vitest';
import { type RatedModel, rankModels, smallModelOf } from './program-models.ts';
import type { ClientKind } from './snippet-blocks.ts';

/** Name and price of a million input tokens. */
const models: readonly RatedModel[] = Object.entries({
  'gpt-4o-mini': 0.15,
  'gpt-4o': 2.5,
  'gpt-4-0613': 30,
  'gpt-5.1': 1.25,
  'gpt-5.1-codex': 1.25,
  'gpt-5.1-chat-latest': 1.25,
  'gpt-5-pro': 15,
  'claude-3-opus-20240229': 15,
  'claude-haiku-5-5': 0.1,
  'claude-sonnet-4-5': 3,
  'claude-sonnet-4-5-20250929': 3,
  'gemini-3.8-flash': 0.75,
  'gemini-2.5-pro': 1.25,
  'deepseek-v4-pro': 1,
  'harbour-bot': 90,
}).map(([name, price]) => ({ name, price }));

const best = (client: ClientKind, ...names: string[]): string | undefined =>
  rankModels(client, names.length === 0 ? models : names.map((name) => ({ name, price: 1 })))[0];

test.each([
  ['claude_code', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['codex', 'gpt-5.1-codex'],
  ['gemini_cli', 'gemini-2.5-pro'],
  ['google', 'gemini-2.5-pro'],
  ['opencode', 'claude-sonnet-4-5'],
  ['cursor', 'claude-sonnet-4-5'],
  ['cline', 'claude-sonnet-4-5'],
  ['langchain', 'gpt-5.1'],
] as const)('%s starts with the best model of its family: %s', (client, model) => {
  expect(best(client)).toBe(model);
});

test('without its family a program takes the best of another, and names of nobody last', () => {
  expect(best('claude_code', 'gpt-4o-mini', 'gpt-5.1')).toBe('gpt-5.1');
  expect(best('codex', 'harbour-bot', 'qwen3.8-flash', 'qwen3.8-max')).toBe('qwen3.8-max');
  expect(best('codex', 'gpt-4o-mini', 'harbour-bot')).toBe('gpt-4o-mini');
  expect(best('cline', 'harbour-bot')).toBe('harbour-bot');
});

test('newer ones come first, of equal ones the one that costs more; unknown names of later days are understood', () => {
  expect(best('claude_code', 'claude-opus-4-8', 'claude-opus-5', 'claude-3-7-sonnet-20250219')).toBe('claude-opus-5');
  expect(best('claude_code', 'claude-opus-4-20250514', 'claude-opus-4-1-20250805')).toBe('claude-opus-4-1-20250805');
  expect(best('claude_code', 'claude-opus-9', 'claude-opus-10-2')).toBe('claude-opus-10-2');
  const priced = (client: ClientKind, prices: Record<string, number>) =>
    rankModels(
      client,
      Object.entries(prices).map(([name, price]) => ({ name, price })),
    )[0];
  expect(priced('codex', { 'gpt-6-astra': 10, 'gpt-6.1-terra': 1, 'gpt-6.1-sol': 2, 'gpt-6-luna': 0.1 })).toBe('gpt-6.1-sol');
  expect(priced('claude_code', { 'claude-sonnet-5-5': 2, 'claude-opus-5-5': 4, 'claude-haiku-5-5': 0.1 })).toBe('claude-opus-5-5');
  expect(best('opencode', 'openrouter/anthropic/claude-sonnet-4.5', 'openai/gpt-5.1')).toBe('openrouter/anthropic/claude-sonnet-4.5');
});

test('every model is in the list, and the small one is of the same family', () => {
  const ranked = rankModels('opencode', models);
  expect(ranked.toSorted()).toEqual(models.map(({ name }) => name).toSorted());
  expect(smallModelOf(ranked)).toBe('claude-haiku-5-5');
  expect(smallModelOf(rankModels('codex', models))).toBe('gpt-4o-mini');
  expect(smallModelOf(['claude-opus-5', 'gpt-4o-mini'])).toBe('claude-opus-5');
});
