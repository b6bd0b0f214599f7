import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventFrame, exceptionFrame, frameOf } from '#tests/support/aws-oracle.ts';
import { readFrameVectors } from '#tests/support/aws-vectors.ts';
import type { Framing } from './framing.ts';
import { framings } from './registry.ts';

const { 'aws-events': named, 'aws-wrapped': wrapped } = framings;

interface Reported {
  events: { name: string; data: string }[];
  isBroken: boolean;
  restLength: number;
}

function reported(framing: Framing, pieces: readonly Buffer[]): Reported {
  const splitter = framing.createSplitter();
  const events = pieces.flatMap((piece) => [...framing.events(splitter.push(piece) ?? Buffer.alloc(0))]);
  return { events, isBroken: splitter.isBroken, restLength: splitter.restLength };
}

const chunk = (event: object) => eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' });
const ping = { name: 'ping', data: '{"type":"ping"}' };

describe('frames of the vectors', () => {
  const [event, exception] = readFrameVectors();

  test('an event is what its bytes are', () => {
    expect(reported(wrapped, [event])).toEqual({ events: [{ name: 'ping', data: '{"type":"ping"}' }], isBroken: false, restLength: 0 });
  });

  test('an exception is an error, with its status', () => {
    const data = '{"type":"error","error":{"type":"throttlingException","message":"Too many requests","status":429}}';
    for (const framing of [wrapped, named]) expect(reported(framing, [exception]).events).toEqual([{ name: 'error', data }]);
  });
});

test('an event is named by its frame, or by what is in it', () => {
  const delta = { contentBlockIndex: 0, delta: { text: 'Hëllo\n潮' }, p: 'ab' };
  expect(reported(named, [eventFrame('contentBlockDelta', delta)]).events).toEqual([
    { name: 'contentBlockDelta', data: JSON.stringify(delta) },
  ]);
  expect(reported(wrapped, [chunk({ type: 'ping' })]).events).toEqual([ping]);
  // Some servers omit the wrapping.
  expect(reported(wrapped, [eventFrame('chunk', { type: 'ping' })]).events).toEqual([ping]);
  // Other event types are ignored.
  expect(reported(wrapped, [eventFrame('later', {}), chunk({ type: 'ping' })]).events).toEqual([ping]);
});

test('what is laid out over several lines is one event', () => {
  const bytes = Buffer.from('{\r\n  "type": "ping"\n}').toString('base64');
  expect(reported(wrapped, [eventFrame('chunk', { bytes })]).events).toEqual([{ name: 'ping', data: '{    "type": "ping" }' }]);
});

test('an error that is no exception is told by headers', () => {
  const headers = { ':message-type': 'error', ':error-code': 'internalFailure', ':error-message': 'Out of order' };
  expect(reported(named, [frameOf(headers, '')]).events).toEqual([
    { name: 'error', data: '{"type":"error","error":{"type":"internalFailure","message":"Out of order","status":500}}' },
  ]);
});

test('any split of the bytes gives the same events', () => {
  const frames = [chunk({ type: 'ping' }), chunk({ type: 'text', text: '潮'.repeat(500) }), exceptionFrame('validationException', 'No')];
  const bytes = Buffer.concat(frames);
  const whole = reported(wrapped, [bytes]);
  expect(whole.events).toHaveLength(3);
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(reported(wrapped, [bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole);
  }
  expect(
    reported(
      wrapped,
      [...bytes].map((byte) => Buffer.from([byte])),
    ),
  ).toEqual(whole);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(
        reported(
          wrapped,
          places.slice(1).map((to, index) => bytes.subarray(places[index], to)),
        ),
      ).toEqual(whole);
    }),
  );
});

test('a changed byte is found wherever it is, and what stands before it has been told', () => {
  const first = chunk({ type: 'ping' });
  const second = chunk({ type: 'ping', more: 'text' });
  for (let at = 0; at < second.length; at += 1) {
    const changed = Buffer.from(second);
    changed.writeUInt8((changed[at] ?? 0) ^ 0x01, at);
    const { events, isBroken } = reported(wrapped, [Buffer.concat([first, changed])]);
    expect(events, `${at}`).toEqual([ping]);
    // A corrupted length is detected by the checksum after it.
    expect(isBroken, `${at}`).toBe(true);
  }
});

test('no more is held than what has come, and no frame of more than 16 MiB is waited for', () => {
  const large = chunk({ type: 'text', text: 'a'.repeat(1_000_000) });
  const splitter = wrapped.createSplitter();
  expect(splitter.push(large.subarray(0, 100))).toBeNull();
  expect(splitter.restLength).toBe(100);
  expect(splitter.rest()).toHaveLength(0);
  for (const [total, headers] of [
    [16 * 1024 * 1024 + 1, 0],
    [200_000, 128 * 1024 + 1],
    [15, 0],
    [40, 30],
  ] as const) {
    expect(reported(wrapped, [preludeOf(total, headers)]).isBroken, `${total} ${headers}`).toBe(true);
  }
  expect(reported(wrapped, [preludeOf(16 * 1024 * 1024, 0)])).toEqual({ events: [], isBroken: false, restLength: 12 });
});

test('headers that are none break the stream; those of other types are passed over', () => {
  const base = { ':event-type': 'chunk', ':message-type': 'event' };
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`h${index}`, '']));
  expect(reported(wrapped, [frameOf({ ...base, ...many }, '{"bytes":""}')]).isBroken).toBe(true);
  expect(reported(named, [frameOf({ ...base, ':event-type': 'a\nevent: b' }, '{}')]).isBroken).toBe(true);
  expect(reported(named, [frameOf({ ':message-type': 'event' }, '{}')]).isBroken).toBe(true);
  expect(reported(wrapped, [eventFrame('chunk', { bytes: 7 })]).isBroken).toBe(true);
});

test('a body is known by its beginning', () => {
  const bytes = chunk({ type: 'ping' });
  expect(wrapped.begins(Buffer.alloc(0))).toBeUndefined();
  expect(wrapped.begins(bytes.subarray(0, 5))).toBeUndefined();
  expect(wrapped.begins(bytes)).toBe(true);
  expect(wrapped.begins(Buffer.from('{"m'))).toBe(false);
  expect(wrapped.begins(Buffer.alloc(12))).toBe(false);
});

function preludeOf(total: number, headers: number): Buffer {
  // Checksum for lengths that the reference encoder would not write.
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headers, 4);
  prelude.writeUInt32BE(crc(prelude.subarray(0, 8)), 8);
  return prelude;
}

/** https://www.w3.org/TR/png/#D-CRCAppendix */
function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return ~value >>> 0;
}
