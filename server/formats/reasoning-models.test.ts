import { expect, test } from 'vitest';
import type { ReasoningWish } from './parts.ts';
import { effortOf } from './reasoning-models.ts';

const off = { isOn: false };
const told = (effort: NonNullable<ReasoningWish['effort']>) => ({ isOn: true, effort });

const cases: readonly [model: string, wish: ReasoningWish, effort: string | null | undefined][] = [
  ['gpt-5', off, 'minimal'],
  ['gpt-5-mini-2025-08-07', told('max'), 'high'],
  ['gpt-5-codex', off, 'low'],
  ['gpt-5-pro', told('low'), 'high'],
  // From 5.1 on there is no `minimal`.
  ['gpt-5.1', off, 'none'],
  ['openai/gpt-5.1-2025-11-13', told('minimal'), 'low'],
  ['gpt-5.1', told('xhigh'), 'high'],
  ['gpt-5.1-codex-max', told('max'), 'xhigh'],
  ['gpt-5.1-codex-mini', off, 'medium'],
  ['gpt-5.1-chat-latest', told('high'), 'medium'],
  ['gpt-5.2', told('max'), 'xhigh'],
  ['gpt-5.2-pro', off, 'medium'],
  ['gpt-5.3-codex', off, 'low'],
  ['gpt-5.6-sol', told('max'), 'max'],
  ['gpt-6', off, 'none'],
  ['gpt-5.10', told('max'), 'max'],
  ['gpt-5.1', { isOn: true, budgetTokens: 32_000 }, 'high'],
  ['gpt-5.1', { isOn: true }, undefined],
  ['o3', off, 'low'],
  ['o4-mini', told('xhigh'), 'high'],
  ['gpt-oss-120b', told('minimal'), 'low'],
  ['grok-3-mini', told('medium'), 'low'],
  ['grok-4', told('high'), null],
  ['grok-4-fast-reasoning', off, null],
  ['grok-4', { isOn: true, budgetTokens: 9 }, null],
  ['grok-4.3', off, 'none'],
  ['grok-4.5', off, 'low'],
  ['grok-4.7', told('max'), 'xhigh'],
  // Of others nothing is known.
  ['of-nobody', off, 'minimal'],
  ['of-nobody', told('max'), 'xhigh'],
  // Of some it is known that they take none, or three, or others for one of theirs.
  ['qwen3-32b', told('max'), null],
  ['kimi-k3', told('xhigh'), 'high'],
  ['glm-5.3', told('medium'), 'low'],
  ['deepseek-v4-pro', told('medium'), 'high'],
  ['deepseek-v4-flash', told('minimal'), 'low'],
  ['qwen3.8-max', told('max'), 'xhigh'],
];

test.each(cases)('%s, %o: %s', (model, wish, effort) => {
  expect(effortOf(wish, model)).toBe(effort);
});
