// Functions without parameters, in every format with functions.
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { functionParameters } from './function-parameters.ts';
import { claudeClient } from './claude/client.ts';
import { openaiChatClient } from './openai-chat/client.ts';
import { upstreamDialects } from './registry.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

const messages = [{ role: 'user', content: 'When is high water?' }];
const forms: readonly object[] = [{}, { type: 'object' }, { type: 'object', additionalProperties: false }];
const withoutFunctions: ReadonlySet<string> = new Set(['dify', 'coze', 'replicate', 'palm', 'spark', 'library']);

/** Members named `parameters`, `input_schema` and the like. */
function schemasIn(value: unknown): object[] {
  if (typeof value === 'string' && value.startsWith('{"type":"object"')) return schemasIn(JSON.parse(value));
  if (typeof value !== 'object' || value === null) return [];
  const isSchema = 'type' in value && value.type === 'object';
  return isSchema ? [value] : Object.values(value).flatMap(schemasIn);
}

describe.each(Object.entries<UpstreamDialect>(upstreamDialects))('functions without parameters to %s', (name, dialect) => {
  test.each(forms.map((form) => [JSON.stringify(form), form] as const))('%s', (_form, parameters) => {
    const chat = openaiChatClient.readRequest({
      model: 'm',
      messages,
      tools: [{ type: 'function', function: { name: 'get_tide', parameters } }],
    });
    const claude = claudeClient.readRequest({
      model: 'm',
      max_tokens: 99,
      messages,
      tools: [{ name: 'get_tide', input_schema: { type: 'object', ...parameters } }],
    });
    for (const request of [chat, claude]) {
      const { body } = dialect.writeRequest(request, { upstreamModel: 'gemini-3-flash', forceUsage: false, settings: defaultSettings });
      const schemas = schemasIn(body);
      // Gemini rejects an object without properties and accepts a function without parameters.
      const isDeclared = name !== 'gemini' && !withoutFunctions.has(name);
      expect(schemas).toHaveLength(isDeclared ? 1 : 0);
      for (const schema of schemas) expect(schema).toMatchObject({ type: 'object', properties: {} });
      expect(JSON.stringify(body).includes('get_tide')).toBe(!withoutFunctions.has(name));
    }
  });
});

test('combined schemas stay as they are', () => {
  const schema = { anyOf: [{ type: 'object', properties: {} }] };
  expect(functionParameters(schema)).toBe(schema);
});
