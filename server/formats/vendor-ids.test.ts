import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callIdsWith, responseId } from './vendor-ids.ts';

const openai = callIdsWith('call_');
const claude = callIdsWith('toolu_');

test('an id of the required form is unchanged', () => {
  expect(openai.write('call_abc')).toBe('call_abc');
  expect(openai.read('call_abc')).toBe('call_abc');
  expect(responseId('msg_', 'msg_1', { requestId: 'r1' })).toBe('msg_1');
});

test('an id of another form is converted', () => {
  expect(claude.write('call_abc')).toBe('toolu_via_call_abc');
  expect(claude.write('functions.get:0')).toMatch(/^toolu_b64_[\w-]+$/);
  expect(responseId('chatcmpl-', 'msg_1', { requestId: 'r1' })).toBe('chatcmpl-r1');
  expect(responseId('chatcmpl-', '', { requestId: 'r1' })).toBe('chatcmpl-r1');
});

test("a stand-in for the provider's own response preserves its ids", () => {
  expect(openai.write('functions.get:0', { preservesIds: true })).toBe('functions.get:0');
  expect(responseId('chatcmpl-', 'msg_1', { requestId: 'r1', preservesIds: true })).toBe('msg_1');
});

test('every id is restored', () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('toolu_via_x', 'toolu_b64_x', 'toolu_', 'toolu_b64_', ''),
    fc.string().map((rest) => `toolu_b64_${rest}`),
  );
  const isStored = (reported: string) => claude.read(claude.write(reported)) === reported && claude.write(reported).startsWith('toolu_');
  expect(() => fc.assert(fc.property(id, isStored))).not.toThrow();
});
