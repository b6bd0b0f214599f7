import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { EventSplitter } from './event-splitter.ts';
import { eventData } from './sse.ts';

/** Returns the data of all complete events, and the remaining bytes. */
function split(chunks: readonly Buffer[]): { data: string[]; bytes: string } {
  const splitter = new EventSplitter();
  const whole: Buffer[] = [];
  for (const chunk of chunks) {
    const events = splitter.push(chunk);
    if (events !== null) whole.push(Buffer.from(events));
  }
  return { data: whole.flatMap((events) => [...eventData(events)]), bytes: Buffer.concat([...whole, splitter.rest()]).toString() };
}

const single = (bytes: Buffer) => [...bytes].map((byte) => Buffer.from([byte]));

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const line = fc.constantFrom(
  'data: {"a":1}',
  'data:',
  'data: é中😀',
  ': a comment',
  'event: ping',
  'id',
  'data: [DONE]',
  '',
  '',
  'x'.repeat(70),
);
const stream = fc
  .tuple(fc.constantFrom('', '\uFEFF'), fc.array(fc.tuple(line, lineEnd), { maxLength: 40 }), lineEnd)
  .map(([mark, lines, end]) => mark + lines.map(([text, own]) => text + own).join('') + end);
const uniform = fc
  .tuple(fc.array(line, { maxLength: 40 }), lineEnd)
  .map(([lines, end]) => `data: first${end}${end}${lines.map((text) => text + end).join('')}${end}data: last${end}${end}`);
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

describe('event-splitter', () => {
  test('any split of the bytes gives the same events', () => {
    fc.assert(
      fc.property(stream, cuts, (text, places) => {
        const bytes = Buffer.from(`${text}\n\ndata: end\n\n`);
        const whole = split([bytes]).data;
        expect(split(cut(bytes, places)).data).toEqual(whole);
        expect(split(single(bytes)).data).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  test('events are the same whichever way their lines end', () => {
    fc.assert(
      fc.property(uniform, cuts, (text, places) => {
        const plain = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
        const { data } = split(cut(Buffer.from(text), places));
        expect(data).toEqual(split([Buffer.from(plain)]).data);
        expect([data[0], data.at(-1)]).toEqual(['first', 'last']);
      }),
    );
  });

  test('the bytes of lines that end with a line feed go on as they are', () => {
    for (const end of ['\n', '\r\n']) {
      const text = `data: a${end}${end}: c${end}${end}${end}data: b${end}${end}data: half`;
      expect(split([Buffer.from(text)]).bytes).toBe(text);
      expect(split(single(Buffer.from(text))).bytes).toBe(text);
    }
  });

  test('an event is handed out as soon as its empty line is there', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const splitter = new EventSplitter();
      for (let event = 0; event < 3; event += 1) {
        const bytes = single(Buffer.from(`data: ${event}${end}${end}`));
        const handed = bytes.map((byte) => splitter.push(byte));
        expect(handed.slice(0, -1).every((events) => events === null)).toBe(true);
        expect(handed.at(-1)?.toString().trim()).toBe(`data: ${event}`);
      }
    }
  });

  // Counts copied bytes: each new chunk must not copy and search everything before it.
  test.each([
    ['an event without end', 'data: {"a":"xxxxxxxxxxxxxxxx'],
    ['comments without an empty line', ': keep-alive\n'],
    ['lines that end with a return', ': keep-alive\r\n'],
    ['empty lines that never come', 'data: 1\n'],
  ])('%s, byte by byte, cost no more than a few copies of each byte', (_, text) => {
    const copied = vi.spyOn(Buffer.prototype, 'copy');
    const joined = vi.spyOn(Buffer, 'concat');
    const searched = vi.spyOn(Buffer.prototype, 'lastIndexOf');
    const bytes = Buffer.from(text.repeat(Math.ceil(20_000 / text.length)));
    const splitter = new EventSplitter();
    for (let at = 0; at < bytes.length; at += 1) splitter.push(bytes.subarray(at, at + 1));
    const moved = copied.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
    expect(splitter.rest().equals(bytes)).toBe(true);
    expect(moved).toBeLessThan(4 * bytes.length);
    expect(joined.mock.calls.length).toBe(0);
    expect(searched.mock.calls.length).toBeLessThan(2 * bytes.length);
    vi.restoreAllMocks();
  });
});
