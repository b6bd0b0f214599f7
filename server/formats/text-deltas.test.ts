// Text in streams is read and written without JSON if the result is certain to be the same.
import { dataEvent } from '#tests/support/data-event.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claudeUpstream } from './claude/upstream.ts';
import { openaiChatUpstream } from './openai-chat/upstream.ts';
import { clientDialects } from './registry.ts';

const writer = { model: 'ti"de', requestId: 'r', createdAt: 1, wantsUsage: true, promptEstimate: 3 };
const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '\u2028', '\u0000', '\uD800', '潮'));

const event = (fields: object) => JSON.stringify(fields);
const delta = (text: string, index = 0) => ({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
const textsOf = (data: string) =>
  claudeUpstream
    .createStreamReader(null)
    .read(dataEvent(data))
    .map((part) => (part.type === 'text' ? part.text : part.type));

test('text-deltas: any text of Claude is read unchanged, with any padding of the event', () => {
  fc.assert(
    fc.property(anyText, fc.nat(1e9), fc.nat(20), (text, index, blanks) => {
      const data = event(delta(text, index));
      const padded = `${data.slice(0, -1)}${' '.repeat(blanks)}}`;
      expect(textsOf(data)).toEqual(text === '' ? [] : [text]);
      expect(textsOf(padded)).toEqual(text === '' ? [] : [text]);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['a line break in the text', event(delta('a')).replace('"a"', '"a\nb"')],
  ['no index', event(delta('a')).replace('"index":0,', '"index":,')],
  ['a number that is none', event(delta('a')).replace('"index":0,', '"index":01,')],
  ['something behind it', `${event(delta('a'))}x`],
  ['an end that is missing', event(delta('a')).slice(0, -1)],
])('text-deltas: %s is not a text event', (_, data) => {
  expect(textsOf(data)).toEqual([]);
});

test('text-deltas: additional fields and another order make no difference', () => {
  expect(textsOf(event({ ...delta('a'), more: 1 }))).toEqual(['a']);
  expect(textsOf(event({ delta: { text: 'a', type: 'text_delta' }, index: 0, type: 'content_block_delta' }))).toEqual(['a']);
});

test.each([
  ['openai-chat', openaiChatUpstream],
  ['claude', claudeUpstream],
] as const)('text-deltas: any text and thought written for %s is read again', (name, upstream) => {
  fc.assert(
    fc.property(anyText, anyText, (text, thought) => {
      const stream = clientDialects[name].createStreamWriter(writer);
      const parts = [
        { type: 'start', id: 'a', model: 'm"' },
        { type: 'reasoning', text: thought },
        { type: 'text', text },
        { type: 'finish', reason: 'stop' },
      ] as const;
      const written = parts.map((part) => stream.write(part)).join('') + stream.end(null);
      const data = written.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
      const reader = upstream.createStreamReader(null);
      const read = data.flatMap((one) => reader.read(dataEvent(one))).filter((part) => part.type === 'text' || part.type === 'reasoning');
      const expected = [parts[1], parts[2]].filter((part) => part.text !== '');
      expect(read.map(({ type, text: one }) => ({ type, text: one }))).toEqual(expected);
      expect(reader.isComplete).toBe(true);
    }),
    { numRuns: 300 },
  );
});
