import { describe, expect, it } from 'vitest';
import { fitCalls } from './fit-calls.ts';

describe('tool calls of a conversation for another provider', () => {
  it.each([
    ['short', '{"a":'],
    ['long, and like an object from outside', `{"a": ${'x'.repeat(600_000)}}`],
  ])('arguments that were cut off are wrapped in an object: %s', (_name, input) => {
    const body = { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'get', input }] }] };
    expect(fitCalls(body, {})).toEqual({
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'get', input: { input } }] }],
    });
  });
});
