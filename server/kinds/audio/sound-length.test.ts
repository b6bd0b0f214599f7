import { describe, expect, test } from 'vitest';
import { guessedSeconds, lengthOf, secondsOf } from './sound-length.ts';
import { waveOf } from '#tests/support/audio-responses.ts';

const uint = (value: number, bytes: number): Buffer => {
  const made = Buffer.alloc(bytes);
  made.writeUIntBE(value, 0, Math.min(bytes, 6));
  return made;
};
const box = (name: string, content: Buffer): Buffer => Buffer.concat([uint(content.length + 8, 4), Buffer.from(name), content]);
const element = (id: number[], content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([...id, 0x40 | (content.length >> 8), content.length & 0xff]), content]);

/** 128 kbit/s at 44.1 kHz: 417 bytes, 26 ms. */
const mp3 = (frames: number): Buffer => {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};
const adts = (frames: number): Buffer => {
  const frame = Buffer.alloc(100);
  // 24 kHz.
  frame.set([0xff, 0xf1, 0x58, 0x80, 100 >> 3, (100 & 7) << 5, 0]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};
const page = (position: bigint, content: Buffer): Buffer => {
  const head = Buffer.alloc(28);
  head.write('OggS');
  head.writeBigInt64LE(position, 6);
  head[26] = 1;
  head[27] = content.length;
  return Buffer.concat([head, content]);
};
const opusHead = Buffer.concat([Buffer.from('OpusHead'), Buffer.from([1, 1, 0x38, 0x01, 0x80, 0xbb, 0, 0, 0, 0, 0])]);
const flac = (samples: number): Buffer => {
  const info = Buffer.alloc(34);
  info.writeUIntBE((44_100 << 4) >>> 0, 10, 3);
  info.writeUInt32BE(samples, 14);
  return Buffer.concat([Buffer.from('fLaC'), Buffer.from([0, 0, 0, 34]), info]);
};
const mp4 = (length: number): Buffer => {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1000, 12);
  header.writeUInt32BE(length, 16);
  return Buffer.concat([box('ftyp', Buffer.from('M4A isom')), box('mdat', Buffer.alloc(5000)), box('moov', box('mvhd', header))]);
};
const webm = (ticks: number | undefined): Buffer => {
  const length = Buffer.alloc(8);
  length.writeDoubleBE(ticks ?? 0);
  const scale = element([0x2a, 0xd7, 0xb1], uint(1_000_000, 3));
  const info = element([0x15, 0x49, 0xa9, 0x66], ticks === undefined ? scale : Buffer.concat([scale, element([0x44, 0x89], length)]));
  // A segment of unknown size, as browsers record.
  const segment = Buffer.concat([Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), info]);
  return Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3], Buffer.from([0x42, 0x86, 0x81, 1])),
    segment,
    Buffer.from([0x1f, 0x43, 0xb6, 0x75, 0x81, 0]),
  ]);
};

describe('length of a sound', () => {
  test.each([
    ['wav', waveOf(12.5), 12.5],
    ['wav that does not know its length', Buffer.from(waveOf(3)).fill(0xff, 40, 44), 3],
    ['mp3', mp3(1000), (1000 * 1152) / 44_100],
    [
      'mp3 behind a tag',
      Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x02\x00', 'latin1'), Buffer.alloc(256), mp3(500)]),
      (500 * 1152) / 44_100,
    ],
    ['aac', adts(100), (100 * 1024) / 24_000],
    ['ogg opus', Buffer.concat([page(0n, opusHead), page(-1n, Buffer.alloc(9)), page(48_000n * 20n + 312n, Buffer.alloc(9))]), 20],
    ['flac', flac(44_100 * 7), 7],
    ['m4a', mp4(61_500), 61.5],
    ['webm', webm(4200), 4.2],
  ] as const)('%s', (_name, bytes, seconds) => {
    expect(secondsOf(bytes)).toBeCloseTo(seconds, 3);
  });

  test('what does not tell is unknown, and guessed by its size', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('a text'),
      webm(undefined),
      flac(0),
      mp4(0),
      page(0n, Buffer.from('OpusHead')),
      Buffer.from('RIFF0000WAVE'),
    ]) {
      expect(secondsOf(bytes)).toBeUndefined();
    }
    expect(guessedSeconds(24_000)).toEqual({ usual: 6, most: 32 });
  });

  test('samples and frames that were counted are its length, for certain', () => {
    for (const bytes of [waveOf(60), mp3(1000), adts(1000)]) {
      const seconds = secondsOf(bytes) ?? Number.NaN;
      expect(lengthOf(bytes)).toEqual({ usual: seconds, most: seconds });
    }
  });

  test('a head that says less than its size does is not believed', () => {
    const rest = Buffer.alloc(4_000_000, 7);
    const squeezed = Buffer.from(waveOf(1));
    // An unknown codec with an impossible rate.
    squeezed.writeUInt16LE(0x11, 20);
    squeezed.writeUInt32LE(0xffffffff, 28);
    const short = Buffer.from(waveOf(1));
    const begun = page(0n, opusHead);
    const ended = page(48_000n, Buffer.alloc(9));
    for (const [bytes, usual] of [
      [Buffer.concat([flac(44_100), rest]), 250],
      [Buffer.concat([mp4(1000), rest]), 500],
      [Buffer.concat([begun, rest, ended]), 1000],
      [Buffer.concat([webm(1000), rest]), 1000],
      [Buffer.concat([squeezed, rest]), 1000],
      [Buffer.concat([short, rest]), 1000],
      [Buffer.concat([mp3(10), rest, mp3(10)]), 1000],
    ] as const) {
      const length = lengthOf(bytes);
      expect(Math.round(length.usual / 10) * 10).toBeGreaterThanOrEqual(usual);
      expect(length.most).toBeGreaterThanOrEqual(length.usual * 3);
    }
  });

  test('a head that says more is believed', () => {
    expect(lengthOf(mp4(9_000_000))).toEqual({ usual: 9000, most: 9000 });
  });

  test('what is broken anywhere ends, and throws nothing', () => {
    const sounds = [
      waveOf(1),
      mp3(20),
      adts(20),
      flac(99),
      mp4(99),
      webm(99),
      Buffer.concat([page(0n, opusHead), page(48_000n, Buffer.alloc(9))]),
    ];
    for (const whole of sounds) {
      const broken = Array.from({ length: Math.min(whole.length, 300) }, (_, at) => [
        whole.subarray(0, at),
        ...[0, 1, 0x7f, 0xff].map((byte) => Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at + 1)])),
      ]);
      for (const bytes of broken.flat()) expect(secondsOf(bytes) ?? 1).toBeGreaterThan(0);
    }
  });
});
