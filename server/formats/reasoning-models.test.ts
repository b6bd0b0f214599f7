import { expect, test } from 'vitest';
import type { ReasoningWish } from './parts.ts';
import { effortOf } from './reasoning-models.ts';

const off = { isOn: false };
const reported = (effort: NonNullable<ReasoningWish['effort']>) => ({ isOn: true, effort });

const cases: readonly [model: string, wish: ReasoningWish, effort: string | null | undefined][] = [
  ['gpt-5', off, 'minimal'],
  ['gpt-5-mini-2025-08-07', reported('max'), 'high'],
  ['gpt-5-codex', off, 'low'],
  ['gpt-5-pro', reported('low'), 'high'],
  // `minimal` was removed in 5.1.
  ['gpt-5.1', off, 'none'],
  ['openai/gpt-5.1-2025-11-13', reported('minimal'), 'low'],
  ['gpt-5.1', reported('xhigh'), 'high'],
  ['gpt-5.1-codex-max', reported('max'), 'xhigh'],
  ['gpt-5.1-codex-mini', off, 'medium'],
  ['gpt-5.1-chat-latest', reported('high'), 'medium'],
  ['gpt-5.2', reported('max'), 'xhigh'],
  ['gpt-5.2-pro', off, 'medium'],
  ['gpt-5.3-codex', off, 'low'],
  ['gpt-5.6-sol', reported('max'), 'max'],
  ['gpt-6', off, 'none'],
  ['gpt-5.10', reported('max'), 'max'],
  ['gpt-5.1', { isOn: true, budgetTokens: 32_000 }, 'high'],
  ['gpt-5.1', { isOn: true }, undefined],
  ['o3', off, 'low'],
  ['o4-mini', reported('xhigh'), 'high'],
  ['gpt-oss-120b', reported('minimal'), 'low'],
  ['grok-3-mini', reported('medium'), 'low'],
  ['grok-4', reported('high'), null],
  ['grok-4-fast-reasoning', off, null],
  ['grok-4', { isOn: true, budgetTokens: 9 }, null],
  ['grok-4.3', off, 'none'],
  ['grok-4.5', off, 'low'],
  ['grok-4.7', reported('max'), 'xhigh'],
  // Unknown models.
  ['of-nobody', off, 'minimal'],
  ['of-nobody', reported('max'), 'xhigh'],
  // Models known to support no effort, three efforts, or mapped ones.
  ['qwen3-32b', reported('max'), null],
  ['kimi-k3', reported('xhigh'), 'high'],
  ['glm-5.3', reported('medium'), 'low'],
  ['deepseek-v4-pro', reported('medium'), 'high'],
  ['deepseek-v4-flash', reported('minimal'), 'low'],
  ['qwen3.8-max', reported('max'), 'xhigh'],
];

test.each(cases)('%s, %o: %s', (model, wish, effort) => {
  expect(effortOf(wish, model)).toBe(effort);
});
