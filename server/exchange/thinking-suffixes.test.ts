import { expect, test } from 'vitest';
import { readThinkingEnding } from './thinking-suffixes.ts';

test.each([
  ['gemini-2.5-flash-thinking', 'gemini-2.5-flash', { isOn: true }],
  ['gemini-2.5-flash-nothinking', 'gemini-2.5-flash', { isOn: false }],
  ['gemini-2.5-flash-thinking-1024', 'gemini-2.5-flash', { isOn: true, budgetTokens: 1024 }],
  ['gemini-2.5-flash-thinking-0', 'gemini-2.5-flash', { isOn: false }],
  ['gemini-3-pro-high', 'gemini-3-pro', { isOn: true, effort: 'high' }],
  ['gemini-3-flash-none', 'gemini-3-flash', { isOn: false }],
])('%s', (name, model, wish) => expect(readThinkingEnding(name)).toEqual({ model, wish }));

test.each(['gemini-2.5-flash', 'gemini-2.0-flash-thinking-exp', '-thinking', 'gemini-thinking-1234567'])('%s has no suffix', (name) =>
  expect(readThinkingEnding(name)).toBeNull(),
);
