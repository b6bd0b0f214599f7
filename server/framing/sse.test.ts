import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataIn, endOfEvent, eventData, firstEvent, namedEvents } from './sse.ts';

const line = fc.constantFrom(
  'data: {"a":1}',
  'data:',
  'data:  two',
  'data: é中😀',
  ': comment',
  'event: ping',
  'data',
  'xdata: no',
  '',
  '',
);
const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 30 });

test('sse: the data of all events is the data of each of them', () => {
  fc.assert(
    fc.property(lines, (written) => {
      const bytes = Buffer.from(`${written.map(([text, end]) => text + end).join('')}\n`);
      const each: string[] = [];
      for (let from = 0; from < bytes.length; from = endOfEvent(bytes, from)) {
        const data = dataIn(bytes, from, endOfEvent(bytes, from));
        if (data !== null) each.push(data);
      }
      expect([...eventData(bytes)]).toEqual(each);
    }),
    { numRuns: 2_000 },
  );
});

test('sse: bytes that are no UTF-8 stay within their event', () => {
  const bytes = Buffer.concat([Buffer.from('data: a'), Buffer.from([0xe4, 0xb8]), Buffer.from('\n\ndata: b\n\n')]);
  expect([...eventData(bytes)]).toEqual(['a\uFFFD', 'b']);
});

test('sse: names of events are read, also of the first, and end with their event', () => {
  const bytes = Buffer.from('event: first\nid: 1\ndata: a\n\n: note\n\nevent:second\r\ndata: b\r\n\r\ndata: c\n\nevent: empty\n\ndata: d');
  expect([...namedEvents(bytes)]).toEqual([
    { name: 'first', data: 'a' },
    { name: 'second', data: 'b' },
    { name: '', data: 'c' },
    { name: '', data: 'd' },
  ]);
  expect(firstEvent(bytes)).toEqual({ name: 'first', data: 'a' });
  expect(firstEvent(Buffer.from('event: none\n\ndata:  \n\nevent: later\ndata: x\n\n'))).toEqual({ name: 'later', data: 'x' });
  expect(firstEvent(Buffer.from(': only a note\n\n'))).toBeNull();
});
