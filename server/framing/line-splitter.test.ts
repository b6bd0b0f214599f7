import { expect, test } from 'vitest';
import { framings } from './registry.ts';

const lines = framings['json-lines'];

function dataOf(...chunks: (string | Buffer)[]): string[] {
  const splitter = lines.createSplitter();
  return chunks.flatMap((chunk) => {
    const events = splitter.push(Buffer.from(chunk));
    return events === null ? [] : [...lines.events(events)].map(({ data }) => data);
  });
}

test('each line is an event, wherever the bytes are cut', () => {
  const bytes = Buffer.from('{"a":"潮"}\r\n\r\n  \n{"b":2}\n{"c":3}');
  const whole = dataOf(bytes);
  expect(whole).toEqual(['{"a":"潮"}', '{"b":2}']);
  for (let at = 1; at < bytes.length; at += 1) expect(dataOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
  expect(dataOf(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(whole);
});

test('a carriage return between values ends no event', () => {
  expect(dataOf('{"a":1,\r"b":2}\n').map((data): unknown => JSON.parse(data))).toEqual([{ a: 1, b: 2 }]);
});

test('what nothing has ended is held, and grows only with what comes', () => {
  const splitter = lines.createSplitter();
  expect(splitter.push(Buffer.from('{"a":1}\n{"b"'))).not.toBeNull();
  expect(splitter.rest().toString()).toBe('{"b"');
  for (let sent = 0; sent < 1000; sent += 1) expect(splitter.push(Buffer.from(' '.repeat(10)))).toBeNull();
  expect(splitter.restLength).toBe(10_004);
  expect(lines.lastEvent(Buffer.from(' {"b":2} '))).toEqual({ name: '', data: '{"b":2}' });
  expect(lines.lastEvent(Buffer.from(' \r\n'))).toBeNull();
  expect([...lines.events(splitter.push(Buffer.concat([Buffer.from(':2}'), lines.eventEnd])) ?? Buffer.alloc(0))]).toHaveLength(1);
});

test('a body is such a stream where it begins with an object', () => {
  expect(lines.begins(Buffer.from('  '))).toBeUndefined();
  expect(lines.begins(Buffer.from('\n{"a":1}'))).toBe(true);
  expect(lines.begins(Buffer.from('<html>'))).toBe(false);
  expect(lines.begins(Buffer.from('data: {}'))).toBe(false);
});
