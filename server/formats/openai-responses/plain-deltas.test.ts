import fc from 'fast-check';
import { dataEvent } from '#tests/support/data-event.ts';
import { expect, test } from 'vitest';
import type { ResponsePart } from '../parts.ts';
import { PlainDeltas } from './plain-deltas.ts';
import { createStreamReader } from './read-stream.ts';

function reported(events: readonly string[]): (readonly ResponsePart[])[] {
  const reader = createStreamReader();
  return events.map((data) => reader.read(dataEvent(data)));
}

/** No two events have the same members, so no shape is learned. */
function allDifferent(events: readonly string[]): string[] {
  return events.map((data, index) => data.replace('{', `{"n${index}":0,`));
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'tide', '"', '\\', '\n', '"delta":"', '"sequence_number":7', '潮', '\uD800', '}', '\u2028', '"obfuscation":""'),
  fc.string(),
);
const kinds = ['plain', 'plain', 'plain', 'plain', 'second', 'logprobs', 'twice', 'hidden', 'inner', 'thought', 'begin', 'done', 'refusal'];
const event = fc
  .record({
    delta: text,
    kind: fc.constantFrom(...kinds),
    number: fc.nat(2_000),
    padding: fc.constantFrom(undefined, '', 'xY9', 'a"b', '\u00e9'),
    isSpaced: fc.boolean(),
  })
  .map(({ delta, kind, number, padding, isSpaced }) => {
    const place = { item_id: 'msg_1', output_index: kind === 'second' ? 1 : 0, content_index: 0 };
    const type = kind === 'thought' ? 'reasoning_text' : kind === 'refusal' ? 'refusal' : 'output_text';
    const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: delta, annotations: [] }] };
    if (kind === 'begin' || kind === 'done')
      return JSON.stringify({ type: `response.output_item.${kind === 'begin' ? 'added' : 'done'}`, output_index: 0, item });
    const data = JSON.stringify(
      {
        type: `response.${type}.delta`,
        sequence_number: number,
        ...place,
        delta,
        logprobs: kind === 'logprobs' ? [{ token: delta, logprob: -1, top_logprobs: [] }] : [],
        ...(kind === 'inner' ? { extra: { delta: 'x', sequence_number: 3 } } : {}),
        ...(padding === undefined ? {} : { obfuscation: padding }),
      },
      null,
      isSpaced ? 1 : 0,
    );
    if (kind === 'twice') return data.replace('"delta":', '"delta":"other","delta":');
    return kind === 'hidden' ? data.replace('"delta":', '"delta":"other","\\u0064elta":') : data;
  });

test('plain deltas: reading an event does not depend on earlier events', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 16 }), (events) => {
      expect(reported(events)).toEqual(reported(allDifferent(events)));
    }),
    { numRuns: 3_000 },
  );
});

function deltaWith(delta: string, number: number): string {
  const place = { item_id: 'msg_1', output_index: 2, content_index: 0 };
  return JSON.stringify({ type: 'response.output_text.delta', ...place, delta, sequence_number: number, logprobs: [], obfuscation: 'aB3' });
}

test('plain deltas: an event of a learned shape is read without parsing', () => {
  const plain = new PlainDeltas();
  plain.learn(deltaWith('one "two"', 5), { text: 'one "two"', place: 2 });
  expect(plain.read(deltaWith('three\n', 16))).toEqual({ text: 'three\n', place: 2 });
  expect(plain.read(deltaWith('', 1_000))).toEqual({ text: '', place: 2 });
  expect(plain.read(deltaWith('x', 1).replace('msg_1', 'msg_2'))).toBeNull();
});

test('plain deltas: invalid JSON after a valid event is not an event', () => {
  const data = deltaWith('one', 7);
  const broken = ['o\nne', 'one\\', 'o"ne', '\\x'].map((written) => data.replace('one', written));
  const events = [...broken, data.slice(0, -1), data.replace(':7', ':07'), data.replace(':7', ':'), `${data}x`, `${data}\n`, ' [DONE]x'];
  expect(reported([data, ...events]).slice(1)).toEqual(reported(allDifferent([data, ...events])).slice(1));
});
