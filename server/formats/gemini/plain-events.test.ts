import fc from 'fast-check';
import { dataEvent } from '#tests/support/data-event.ts';
import { expect, test } from 'vitest';
import type { ResponsePart } from '../parts.ts';
import { createStreamReader } from './read-response.ts';

const begin = JSON.stringify({ responseId: 'a', modelVersion: 'gemini-3', candidates: [] });

/** Parts of each event, usage included. */
function reported(events: readonly string[]): (readonly ResponsePart[])[] {
  const reader = createStreamReader();
  reader.read(dataEvent(begin));
  return events.map((data) => [...reader.read(dataEvent(data)), ...(reader.readUnread?.() ?? [])]);
}

/** No two events have the same start, so no shape is learned. */
function allDifferent(events: readonly string[]): string[] {
  return events.map((data, index) => data.replace('{', `{"n${index}":0,`));
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'tide', '"', '\\', '\n', '"text":"', '"usageMetadata":{', '潮', '\uD800', '}', 'text', '\u2028'),
  fc.string(),
);
const count = fc.constantFrom(0, 1, 7, 10, 57, 107, 1_000, 1e9, 2e9, -1, 1.5, 1e21);
const usage = fc.oneof(
  fc.record({ promptTokenCount: count, candidatesTokenCount: count, totalTokenCount: count }),
  fc.record({ promptTokenCount: count, promptTokensDetails: fc.constantFrom([{ modality: 'TEXT2', tokenCount: 57 }], []) }),
  fc.constantFrom({}, { trafficType: 'ON_DEMAND' }, { totalTokenCount: '7' }),
);
const kinds = [
  'plain',
  'plain',
  'plain',
  'plain',
  'bare',
  'finish',
  'second',
  'thought',
  'signed',
  'two',
  'code',
  'call',
  'twice',
  'inner',
];
const event = fc
  .record({ content: text, usage, kind: fc.constantFrom(...kinds), isSpaced: fc.boolean() })
  .map(({ content, usage: counts, kind, isSpaced }) => {
    const part = {
      text: content,
      ...(kind === 'thought' ? { thought: true } : {}),
      ...(kind === 'signed' ? { thoughtSignature: 'c2ln' } : {}),
      ...(kind === 'inner' ? { partMetadata: { text: 'x', usageMetadata: { totalTokenCount: 3 } } } : {}),
    };
    const other =
      kind === 'call' ? { functionCall: { id: 'c', name: 'f', args: {} } } : { executableCode: { code: '1', language: 'PYTHON' } };
    const parts = [part, ...(kind === 'two' ? [part] : []), ...(kind === 'code' || kind === 'call' ? [other] : [])];
    const candidate = {
      content: { parts, role: 'model' },
      ...(kind === 'finish' ? { finishReason: 'STOP' } : {}),
      index: kind === 'second' ? 1 : 0,
    };
    const rest = kind === 'bare' ? {} : { usageMetadata: counts };
    const data = JSON.stringify({ candidates: [candidate], ...rest, modelVersion: 'gemini-3' }, null, isSpaced ? 1 : 0);
    return kind === 'twice' ? data.replace('"text":', '"text":"other","\\u0074ext":') : data;
  });

test('plain events: reading an event does not depend on earlier events', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 16 }), (events) => {
      expect(reported(events)).toEqual(reported(allDifferent(events)));
    }),
    { numRuns: 3_000 },
  );
});

function eventWith(content: string, output: number): string {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: output, totalTokenCount: 5 + output };
  return JSON.stringify({ candidates: [{ content: { parts: [{ text: content }], role: 'model' }, index: 0 }], usageMetadata });
}

test('plain events: invalid JSON after a valid event is not an event', () => {
  const data = eventWith('one', 7);
  const broken = ['o\nne', 'one\\', 'o"ne', '\\x'].map((written) => data.replace('one', written));
  const events = [...broken, data.slice(0, -1), data.replace(':12', ':012'), data.replace(':12', ':'), `${data}x`, '[DONE]'];
  expect(reported([data, ...events]).slice(1)).toEqual(events.map(() => []));
});

test('plain-events: usage is parsed on request and returned once', () => {
  const reader = createStreamReader();
  reader.read(dataEvent(begin));
  reader.read(dataEvent(eventWith('one', 1)));
  expect(reader.read(dataEvent(eventWith('two', 20)))).toEqual([{ type: 'text', text: 'two', choice: 0 }]);
  expect(reader.read(dataEvent(eventWith('three\n', 30)))).toEqual([{ type: 'text', text: 'three\n', choice: 0 }]);
  expect(reader.readUnread?.()).toMatchObject([{ type: 'usage', usage: { input: 5, output: 30 } }]);
  expect(reader.readUnread?.()).toEqual([]);
});

test('plain-events: an event of another shape returns the previous usage and its own', () => {
  const reader = createStreamReader();
  for (const data of [begin, eventWith('one', 1), eventWith('two', 20)]) reader.read(dataEvent(data));
  expect(reader.read(dataEvent('{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}'))).toMatchObject([
    { type: 'usage', usage: { output: 20 } },
    { type: 'text' },
  ]);
});
