import { expect, it, test } from 'vitest';
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';
import { isRequestedPart, partHeaders, partOf, readPart, readRange, sourceOfPart } from './byte-range.ts';

test.each([
  ['bytes=0-1', { first: 0, last: 1 }],
  ['bytes=5-', { first: 5 }],
  ['bytes=-5', null],
  ['bytes=7-5', null],
  ['bytes=0-1,3-4', null],
  ['items=0-1', null],
  [null, null],
])('byte-range: %s', (header, range) => expect(readRange(header)).toEqual(range));

it('byte-range: a part ends where the whole does, and none begins behind it', () => {
  expect(partOf({ first: 4 }, 10)).toEqual({ first: 4, last: 9, length: 10 });
  expect(partOf({ first: 4, last: 20 }, 10)).toEqual({ first: 4, last: 9, length: 10 });
  expect(partOf({ first: 10 }, 10)).toBeNull();
  expect(partHeaders({ first: 4, last: 9, length: 10 })).toEqual({ 'content-range': 'bytes 4-9/10', 'content-length': '6' });
});

test.each([
  ['bytes 4-9/10', true],
  ['bytes 4-6/*', true],
  ['bytes 0-9/10', false],
  ['bytes 4-12/20', false],
  ['', false],
])('byte-range: a sender that tells "%s" has sent what was asked for: %s', (reported, is) =>
  expect(isRequestedPart(reported, { first: 4, last: 9 })).toBe(is),
);

const whole = 'the tide comes in';
const parts = [
  [0, 2],
  [4, 4],
  [3, 12],
  [0, 16],
  [16, 16],
] as const;

test.each(parts)('byte-range: bytes %i to %i, wherever the sender cuts them', async (first, last) => {
  for (let size = 1; size <= whole.length; size += 1) {
    const chunks = whole.match(new RegExp(`.{1,${size}}`, 'g'))?.map((text) => Buffer.from(text)) ?? [];
    const part = { first, last, length: whole.length };
    const left = [...chunks];
    const read = readPart(() => Promise.resolve(left.shift() ?? null), part);
    let text = '';
    for (let bytes = await read(); bytes !== null; bytes = await read()) text += bytes.toString();
    expect(text).toBe(whole.slice(first, last + 1));
    expect(pushed(chunks, part)).toEqual([whole.slice(first, last + 1), 'end']);
  }
});

function pushed(chunks: readonly Buffer[], part: { first: number; last: number; length: number }): string[] {
  let text = '';
  const ends: string[] = [];
  const source: EventSource = {
    read(sink: StreamSink) {
      for (const chunk of chunks) sink.data(chunk, true);
      sink.end();
    },
    pause() {},
    resume() {},
    abort() {},
  };
  sourceOfPart(source, part).read({
    data: (chunk) => (text += chunk.toString()),
    end: () => ends.push('end'),
    fail: () => ends.push('fail'),
  });
  return [text, ...ends];
}
