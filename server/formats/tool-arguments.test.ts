import { describe, expect, it } from 'vitest';
import type { ClientDialect } from './client-dialect.ts';
import { clientDialects } from './registry.ts';
import { argumentsOfCall, argumentsOfFreeText, objectArguments, objectOfCall, prepareTexts } from './tool-arguments.ts';

describe('long arguments', () => {
  const alphabets = { plain: 'word ', source: '  const a = "b";\n', controls: '\n\u0001', halves: 'a\uD800', mixed: '用户"\\\u{1F600}' };

  it.each(Object.entries(alphabets))('%s are written in steps with the same result', (_name, letters) => {
    const object = { a: 1, text: letters.repeat(3_000_000 / letters.length), list: [{ text: letters }] };
    const work = prepareTexts([null, 'text', object, { short: letters }]);
    let steps = 1;
    while (work.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThan(10);
    expect(objectArguments(object) === JSON.stringify(object)).toBe(true);
  });

  it('stay the same object for formats that use objects', () => {
    const object = { text: 'word '.repeat(200_000) };
    expect(objectOfCall(argumentsOfCall(object))).toBe(object);
    const text = 'word '.repeat(200_000);
    expect(objectOfCall(argumentsOfFreeText(text))).toEqual({ input: text });
    expect(argumentsOfCall({ a: 1 })).toEqual({ arguments: '{"a":1}' });
    expect(objectOfCall(argumentsOfCall('{"a":1}'))).toEqual({ a: 1 });
  });

  it('of every format that has objects are found', () => {
    const [input, args, response] = [{ a: 1 }, { b: 1 }, { c: 1 }];
    const found = (name: keyof typeof clientDialects, body: object) => {
      const dialect: ClientDialect = clientDialects[name];
      return [...(dialect.jsonTexts?.objectsIn?.({ ...body }) ?? [])];
    };
    expect(found('claude', { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input }] }] })).toEqual([input]);
    const parts = [{ functionCall: { args } }, { function_call: { args } }, { functionResponse: { response } }, { text: 'a' }];
    expect(found('gemini', { contents: [{ parts }] })).toEqual([args, args, response]);
    expect(found('gemini-interactions', { input: [{ type: 'function_call', arguments: args }, { type: 'text' }] })).toEqual([args]);
  });
});
