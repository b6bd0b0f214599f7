import { describe, expect, it, test } from 'vitest';
import { factsOf, knownModels } from './find-facts.ts';

test.each([
  // As their vendors call them, and with what releases and requests add.
  ['gpt-6.1-sol', 'gpt-6.1-sol'],
  ['gpt-6.1-sol-high', 'gpt-6.1-sol'],
  ['GPT-6.1-Sol', 'gpt-6.1-sol'],
  ['gpt-5.1-codex-max', 'gpt-5.1-codex-max'],
  ['gpt-4o-mini-2031-01-01', 'gpt-4o-mini'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
  ['gemini-3-pro', 'gemini-3-pro-preview'],
  ['gemini-3.8-flash-thinking-1024', 'gemini-3.8-flash'],
  // As hosts call them.
  ['openai/gpt-6.1-sol', 'gpt-6.1-sol'],
  ['models/gemini-3.8-flash', 'gemini-3.8-flash'],
  ['anthropic/claude-opus-5.5', 'claude-opus-5-5'],
  ['anthropic/claude-opus-4.6:beta', 'claude-opus-4-6'],
  ['claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
  ['us.anthropic.claude-opus-4-6-v1:0', 'claude-opus-4-6'],
  ['anthropic.claude-sonnet-5-5', 'claude-sonnet-5-5'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5-20250929'],
  ['openai.gpt-oss-120b-1:0', 'gpt-oss-120b'],
  ['ft:gpt-4o-mini-2024-07-18:org::id', 'gpt-4o-mini-2024-07-18'],
  ['global.anthropic.claude-opus-5-5', 'claude-opus-5-5'],
  ['apac.anthropic.claude-sonnet-6', 'claude-sonnet-5-5'],
  ['us-gov.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5-20251001'],
  // As deployments without dots are called.
  ['gpt-35-turbo', 'gpt-3.5-turbo'],
  ['gpt-41-mini', 'gpt-4.1-mini'],
  ['gpt-61-sol', 'gpt-6.1-sol'],
  // Newer than the data.
  ['claude-opus-6', 'claude-opus-5-5'],
  ['claude-haiku-6', 'claude-haiku-5-5'],
  ['claude-nova-6', 'claude-opus-5-5'],
  ['claude-saga-1', 'claude-opus-5-5'],
  ['claude-latest', 'claude-opus-5-5'],
  ['gpt-5.10', 'gpt-5.6'],
  ['gpt-7', 'gpt-6.1-sol'],
  ['gpt-7-nova', 'gpt-6.1-sol'],
  ['gpt-9-codex', 'gpt-5.3-codex'],
  ['gpt-5.4-chat-latest', 'gpt-5.3-chat-latest'],
  ['gemini-4-pro', 'gemini-3.1-pro-preview'],
  ['gemini-4-neon', 'gemini-3.8-flash'],
  ['grok-5', 'grok-4.7'],
  ['deepseek-v5-pro', 'deepseek-v4-pro'],
  ['qwen4-max', 'qwen3.8-max'],
  // Of no known vendor, and older than all of its family.
  ['sea-1', undefined],
  ['kimi-k2', undefined],
  ['', undefined],
  ['constructor', undefined],
])('%s is %s', (name, id) => {
  expect(factsOf(name)?.id).toBe(id);
});

describe('a variant that somebody has made', () => {
  it('behaves as its model, and nobody knows how much it reads and writes', () => {
    expect(factsOf('gpt-6.1-sol-of-somebody')).toMatchObject({ id: 'gpt-6.1-sol', sampling: 'idle', output: null, context: null });
  });
});

describe('what models take', () => {
  it.each(['gpt-6-astra', 'gpt-6-sol', 'gpt-6-luna', 'gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-rosalind', 'gpt-6-cyber'])(
    '%s thinks, and takes functions by Responses',
    (model) => {
      expect(factsOf(model)).toMatchObject({ vendor: 'openai', sampling: 'idle', takesStop: false, isToolsByResponses: true });
      expect(factsOf(model)?.thinking?.efforts).toContain('high');
    },
  );

  it.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-mythos-5-1'])(
    '%s always thinks, and is not forced',
    (model) => {
      expect(factsOf(model)).toMatchObject({ takesForcedTools: false, takesPrefill: false, sampling: 'refused', output: 128_000 });
      expect(factsOf(model)?.thinking).toMatchObject({ isAdaptive: true, isAlwaysOn: true, budget: undefined });
    },
  );

  it('have efforts in the order of how much they are', () => {
    expect(factsOf('gpt-6.1-sol')?.thinking?.efforts).toEqual(['low', 'medium', 'high', 'xhigh', 'max']);
    expect(factsOf('gpt-6-luna')?.thinking?.efforts).toEqual(['none', 'low', 'medium', 'high', 'xhigh', 'max']);
    expect(factsOf('gemini-3.8-flash')?.thinking?.efforts).toEqual(['low', 'medium', 'high']);
    expect(factsOf('gpt-5-chat-latest')?.thinking).toBeNull();
  });
});

it('every record can be read, and a name is looked for once', () => {
  for (const id of knownModels()) expect(factsOf(id)?.id).toBe(id);
  expect(factsOf('anthropic/claude-opus-5.5')).toBe(factsOf('claude-opus-5-5'));
});
