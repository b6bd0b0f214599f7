import fc from 'fast-check';
import { dataEvent } from '#tests/support/data-event.ts';
import { expect, test } from 'vitest';
import type { ResponsePart } from '../parts.ts';
import { createStreamReader } from './read-response.ts';

const begin = JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });

/** Parts of the event without a learned shape: the first event of a stream is always parsed. */
function alone(data: string): readonly ResponsePart[] {
  const reader = createStreamReader(null);
  reader.read(dataEvent(begin));
  return reader.read(dataEvent(data));
}

function inTurn(events: readonly string[]): (readonly ResponsePart[])[] {
  const reader = createStreamReader(null);
  reader.read(dataEvent(begin));
  return events.map((data) => reader.read(dataEvent(data)));
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'tide', '"', '\\', '\n', '"error"', '"content":"x', 'content', '潮', '\uD800', 'assistant', 'null'),
  fc.string(),
);
const event = fc
  .record({
    content: text,
    other: fc.constantFrom('', 'x', 'a'),
    kind: fc.constantFrom('plain', 'plain', 'plain', 'role', 'both', 'finish', 'usage', 'second', 'message', 'error', 'parts'),
  })
  .map(({ content, other, kind }) => {
    const delta = {
      ...(kind === 'role' ? { role: 'assistant' } : {}),
      content: kind === 'parts' ? [{ type: 'text', text: content }] : content,
      ...(kind === 'both' ? { reasoning_content: other } : {}),
      ...(kind === 'message' ? { nested: { content: other } } : {}),
    };
    return JSON.stringify({
      id: 'a',
      model: 'm',
      choices: [{ index: kind === 'second' ? 1 : 0, delta, finish_reason: kind === 'finish' ? 'stop' : null }],
      ...(kind === 'usage' ? { usage: { prompt_tokens: 1, completion_tokens: 2 } } : {}),
      ...(kind === 'error' ? { error: { message: content === '' ? 'no' : content } } : {}),
    });
  });

test('plain deltas: reading an event does not depend on earlier events', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      expect(inTurn(events)).toEqual(events.map(alone));
    }),
    { numRuns: 3_000 },
  );
});

test('plain deltas: invalid JSON after a valid event is not an event', () => {
  const data = JSON.stringify({ id: 'a', choices: [{ index: 0, delta: { content: 'one' }, finish_reason: null }] });
  const broken = [data.replace('one', 'o\nne'), data.replace('one', 'one\\'), data.replace('one', 'o"ne'), data.slice(0, -1), '[DONE]'];
  expect(inTurn([data, ...broken])).toEqual([[{ type: 'text', text: 'one', choice: 0 }], ...broken.map(() => [])]);
});
