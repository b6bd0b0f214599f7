// JSON in texts of a request counts as parts of the body, for every pair of formats.
import { describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { mostParts, mostValues, PartBudget } from '#server/framing/part-budget.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';

const function_ = { name: 'read', parameters: { type: 'object', properties: {} } };
const input_schema = function_.parameters;

interface Texts {
  arguments: string;
  result: string;
}
type Body = Record<string, unknown>;

const chat = ({ arguments: written, result }: Texts): Body => ({
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: written } }] },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: result }] },
  ],
  tools: [{ type: 'function', function: function_ }],
});
const responses = ({ arguments: written, result }: Texts): Body => ({
  input: [
    { role: 'user', content: 'Hello' },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: written },
    { type: 'function_call_output', call_id: 'c1', output: result },
  ],
  tools: [{ type: 'function', ...function_ }],
});
const claude = ({ result }: Texts): Body => ({
  max_tokens: 100,
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: result }] },
  ],
  tools: [{ name: 'read', input_schema }],
});
const gemini = ({ result }: Texts): Body => ({
  contents: [
    { role: 'user', parts: [{ text: 'Hello' }] },
    { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: result } } }] },
  ],
});
const interactions = ({ result }: Texts): Body => ({
  input: [
    { type: 'user_input', content: 'Hello' },
    { type: 'function_call', id: 'c1', name: 'read', arguments: {} },
    { type: 'function_result', call_id: 'c1', result },
  ],
});

const clients: { client: ClientDialect; about: string; body(texts: Texts): Body; hasArguments: boolean }[] = [
  { client: clientDialects['openai-chat'], about: 'chat', body: chat, hasArguments: true },
  { client: clientDialects['openai-mixed'], about: 'chat of either shape', body: chat, hasArguments: true },
  { client: clientDialects['openai-mixed'], about: 'Responses at the address of chat', body: responses, hasArguments: true },
  { client: clientDialects['openai-responses'], about: 'Responses', body: responses, hasArguments: true },
  { client: clientDialects.claude, about: 'Claude', body: claude, hasArguments: false },
  { client: clientDialects.gemini, about: 'Gemini', body: gemini, hasArguments: false },
  { client: clientDialects['gemini-interactions'], about: 'interactions', body: interactions, hasArguments: false },
];
const upstreams = [
  { model: 'gpt-4o', type: 1, setting: '{"formats":["openai-chat"]}' },
  { model: 'gpt-4o', type: 1, setting: '{"formats":["openai-responses"]}' },
  { model: 'claude-sonnet-4-5', type: 14, setting: '' },
  { model: 'gemini-2.0-flash', type: 24, setting: '{"formats":["gemini"]}' },
  { model: 'gemini-2.5-flash', type: 24, setting: '{"formats":["gemini"]}' },
  { model: 'anthropic.claude-3-haiku-20240307-v1:0', type: 33, key: 'a|b|us-east-1', setting: '' },
  { model: 'amazon.nova-pro-v1:0', type: 33, key: 'a|b|us-east-1', setting: '' },
  { model: 'llama3.1', type: 4, setting: '' },
  { model: 'command-r-plus', type: 34, setting: '' },
  { model: 'ernie-4.0-8k', type: 15, key: 'a|b', setting: '' },
  { model: 'hunyuan-pro', type: 23, key: '1|a|b', setting: '' },
];

/** Parts of the text, including the enclosing object. */
const objects = (count: number) => `{"a":[${'{},'.repeat(count - 4)}{}]}`;

describe.each(clients)('$about', ({ client, body, hasArguments }) => {
  const pairs = upstreams.flatMap(({ model, ...channel }) => {
    const route = buildPreparedChannel({ base_url: 'https://up.example', ...channel }).route(client, 'chat', model);
    return route === null || route.identity !== null ? [] : [{ model, route, parses: route.dialect.parsesResults === true }];
  });

  /** Remaining parts, unless rejected. */
  function left({ model, route }: (typeof pairs)[number], texts: Partial<Texts>, taken = 0): number | string {
    const budget = new PartBudget(taken);
    const requested = { model, ...body({ arguments: '{}', result: 'done', ...texts }) };
    const call = {
      client,
      route,
      clientHeaders: {},
      body: requested,
      rawText: JSON.stringify(requested),
      originModel: model,
      budget: () => budget,
    };
    try {
      encodeRequest({ ...call, isStream: false, forceUsage: true, settings: defaultSettings });
    } catch (failure) {
      return failure instanceof AppError ? failure.code : 'fault';
    }
    return budget.left;
  }

  test('is translated to several formats', () => {
    expect(pairs.length).toBeGreaterThan(5);
  });

  test.each(pairs)('for $model counts the parts of parsed texts', (pair) => {
    const empty = hasArguments ? 1 : 0;
    expect(left(pair, {})).toBe(mostParts - empty);
    expect(left(pair, { result: objects(1_000) })).toBe(mostParts - empty - (pair.parses ? 1_000 : 0));
    if (hasArguments) expect(left(pair, { arguments: objects(1_000) })).toBe(mostParts - 1_000);
  });

  test.each(pairs)('for $model is refused if the budget is exhausted', (pair) => {
    if (hasArguments) {
      expect(left(pair, { arguments: objects(10_000) }, 90_000)).toBe(0);
      expect(left(pair, { arguments: objects(10_001) }, 90_000)).toBe('body_too_complex');
      expect(left(pair, { arguments: `{"a":[${'1,'.repeat(mostValues)}1]}` })).toBe('body_too_complex');
    }
    expect(left(pair, { result: objects(mostParts + 1) })).toBe(pair.parses ? 'body_too_complex' : mostParts - (hasArguments ? 1 : 0));
    // Text that does not begin an object is not parsed.
    expect(left(pair, { result: `See ${objects(mostParts + 1)}` })).toBe(mostParts - (hasArguments ? 1 : 0));
  });
});
