import { describe, expect, it } from 'vitest';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { problemText } from '#tests/support/problem-text.ts';

const { claude, 'openai-chat': openaiChat, 'openai-responses': openaiResponses } = clientDialects;

describe('a provider with the formats of both callers', () => {
  const channel = buildPreparedChannel({ type: 43, key: 'sk-key' });

  it('is called by each in its own format', () => {
    const messages = channel.route(claude, 'chat', 'deepseek-chat');
    expect(messages).toMatchObject({ origin: 'https://api.deepseek.com', path: '/anthropic/v1/messages', dialect: { name: 'claude' } });
    expect(messages?.identity).not.toBeNull();
    expect(messages?.format.headers(false)).toMatchObject({ 'x-api-key': 'sk-key', 'anthropic-version': '2023-06-01' });
    expect(messages?.format.headers(false)).not.toHaveProperty('authorization');
    const completions = channel.route(openaiChat, 'chat', 'deepseek-chat');
    expect(completions).toMatchObject({ path: '/v1/chat/completions', dialect: { name: 'openai-chat' } });
    expect(completions?.format.headers(false)).toMatchObject({ authorization: 'Bearer sk-key' });
  });

  it('is called in its first format at a custom base URL', () => {
    const elsewhere = buildPreparedChannel({ type: 43, base_url: 'https://gateway.example' });
    const route = elsewhere.route(claude, 'chat', 'deepseek-chat');
    expect(route).toMatchObject({ path: '/v1/chat/completions', dialect: { name: 'openai-chat' }, identity: null });
  });

  it('has no route for kinds that none of its formats supports', () => {
    expect(channel.route(claude, 'count_tokens', 'deepseek-chat')).toBeNull();
    expect(channel.route(openaiChat, 'embeddings', 'deepseek-chat')).toBeNull();
  });

  it('has one cached route per client format', () => {
    expect(channel.route(claude, 'chat', 'deepseek-chat')).toBe(channel.route(claude, 'chat', 'deepseek-chat'));
    expect(channel.route(claude, 'chat', 'deepseek-chat')).not.toBe(channel.route(openaiChat, 'chat', 'deepseek-chat'));
  });
});

describe('effort suffixes of model names', () => {
  const channel = buildPreparedChannel({ type: 1 });

  it.each([
    ['o3-mini-high', 'o3-mini', 'high'],
    ['gpt-5.1-none', 'gpt-5.1', 'none'],
    ['gpt-5.6-max', 'gpt-5.6', 'max'],
    ['gpt-6.1-sol-high', 'gpt-6.1-sol', 'high'],
    ['gpt-7-nova-max', 'gpt-7-nova', 'max'],
  ])('%s is %s with the effort %s', (name, upstreamModel, reasoning_effort) => {
    expect(channel.route(openaiChat, 'chat', name)).toMatchObject({ upstreamModel, set: { reasoning_effort } });
    expect(channel.route(openaiResponses, 'chat', name)).toMatchObject({ upstreamModel, set: { reasoning: { effort: reasoning_effort } } });
  });

  it.each(['gpt-5.1-codex-max', 'gpt-5.2-max', 'gpt-4o-high', 'o3'])('%s has none', (name) => {
    expect(channel.route(openaiResponses, 'chat', name)).toMatchObject({ upstreamModel: name, set: null });
  });
});

describe('deployments of Azure', () => {
  const at = (setting: string) => buildPreparedChannel({ type: 3, base_url: 'https://res.openai.azure.com', other: '2024-06-01', setting });

  it('have the name of the model without dots, unless the channel preserves dots', () => {
    const path = (setting: string) => at(setting).route(openaiChat, 'chat', 'gpt-4.1')?.path;
    expect(path('')).toBe('/openai/deployments/gpt-41/chat/completions?api-version=2024-06-01');
    expect(path('{"keep_dots":true}')).toBe('/openai/deployments/gpt-4.1/chat/completions?api-version=2024-06-01');
  });

  it.each<[model: string, client: ClientDialect, format: string]>([
    ['gpt-4.1', openaiResponses, 'openai-responses'],
    ['gpt-4.1', claude, 'openai-chat'],
    ['gpt-5.4', claude, 'openai-responses'],
    ['gpt-5.1-codex', openaiChat, 'openai-responses'],
  ])('%s is called in the format that supports most', (model, client, format) => {
    const route = at('').route(client, 'chat', model);
    expect(route?.dialect.name).toBe(format);
    if (format === 'openai-responses') expect(route?.path).toBe('/openai/v1/responses');
  });
});

describe('models with more features in one format of the provider', () => {
  const openai = buildPreparedChannel({ base_url: '' });
  const { gemini } = clientDialects;

  it.each<[model: string, ...callers: [client: ClientDialect, format: string][]]>([
    // Chat completions reject functions together with reasoning.
    ['gpt-5.4', [openaiChat, 'openai-chat'], [claude, 'openai-responses'], [gemini, 'openai-responses']],
    ['gpt-5.6-sol', [openaiChat, 'openai-chat'], [claude, 'openai-responses']],
    ['gpt-5.10', [claude, 'openai-responses']],
    ['gpt-6-high', [claude, 'openai-responses']],
    ['gpt-5.4-chat-latest', [claude, 'openai-chat']],
    ['gpt-5.2', [claude, 'openai-chat']],
    ['gpt-4o', [claude, 'openai-chat']],
    // Models that chat completions do not serve.
    ['gpt-5.1-codex', [openaiChat, 'openai-responses'], [claude, 'openai-responses']],
    ['o3-pro-2025-06-10', [openaiChat, 'openai-responses']],
  ])('%s', (model, ...callers) => {
    for (const [client, format] of callers) expect(openai.route(client, 'chat', model)?.dialect.name).toBe(format);
  });

  it('have a fallback route in another format that serves them, for calls that the best one cannot carry', () => {
    expect(openai.route(gemini, 'chat', 'gpt-5.4')?.otherwise?.dialect.name).toBe('openai-chat');
    expect(openai.route(openaiChat, 'chat', 'gpt-5.4')?.otherwise).toBeUndefined();
    expect(openai.route(gemini, 'chat', 'gpt-5.1-codex')?.otherwise).toBeUndefined();
  });

  it('have a separate route for functions if they reject functions in the format of the caller', () => {
    const formatOf = (client: ClientDialect, model: string) => openai.route(client, 'chat', model)?.withFunctions?.dialect.name;
    for (const model of ['gpt-5.4', 'gpt-5.6-sol', 'gpt-6-astra', 'gpt-6.1-sol', 'gpt-7']) {
      expect(formatOf(openaiChat, model)).toBe('openai-responses');
      expect(formatOf(claude, model)).toBeUndefined();
    }
    for (const model of ['gpt-5.2', 'gpt-5.4-chat-latest', 'gpt-4o', 'gpt-5.1-codex']) expect(formatOf(openaiChat, model)).toBeUndefined();
    const elsewhere = buildPreparedChannel({ base_url: 'https://gateway.example' });
    expect(elsewhere.route(openaiChat, 'chat', 'gpt-6.1-sol')?.withFunctions).toBeUndefined();
  });

  it('are called in the available format at a custom base URL', () => {
    const elsewhere = buildPreparedChannel({ base_url: 'https://gateway.example' });
    for (const model of ['gpt-5.6', 'gpt-5.1-codex']) expect(elsewhere.route(claude, 'chat', model)?.dialect.name).toBe('openai-chat');
  });
});

describe('a provider whose second format compatible servers may lack', () => {
  const pathOf = (fields: Parameters<typeof buildPreparedChannel>[0], client: ClientDialect = claude) =>
    buildPreparedChannel({ type: 1, ...fields })
      .formats.map(({ dialect }) => dialect.name)
      .join() + ` ${buildPreparedChannel({ type: 1, ...fields }).route(client, 'chat', 'gpt-4.1')?.path}`;

  it('has both formats at its default URL, and each caller gets the one that loses less', () => {
    expect(pathOf({}, openaiChat)).toBe('openai-chat,openai-responses /v1/chat/completions');
    expect(pathOf({}, claude)).toBe('openai-chat,openai-responses /v1/chat/completions');
    expect(pathOf({}, openaiResponses)).toBe('openai-chat,openai-responses /v1/responses');
  });

  it('has only the first at a custom base URL, unless the channel sets formats', () => {
    const base_url = 'https://gateway.example';
    expect(pathOf({ base_url })).toBe('openai-chat /v1/chat/completions');
    expect(pathOf({ base_url }, openaiResponses)).toBe('openai-chat /v1/chat/completions');
    expect(pathOf({ base_url, setting: '{"formats":["openai-responses"]}' }, openaiChat)).toBe('openai-responses /v1/responses');
    expect(pathOf({ base_url, setting: '{"formats":["openai-responses","openai-chat"]}' })).toBe(
      'openai-chat,openai-responses /v1/chat/completions',
    );
    expect(problemText(buildPreparedChannel({ type: 1, setting: '{"formats":["claude"]}' }))).toContain('setting');
  });
});
