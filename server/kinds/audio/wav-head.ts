// Header of a WAV file of raw samples: 16 bits, one channel. http://soundfile.sapp.org/doc/WaveFormat/
const sampleBytes = 2;

/**
 * @param rate samples per second
 * @param size bytes of the samples
 */
export function wavHead(rate: number, size: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * sampleBytes, 28);
  head.writeUInt16LE(sampleBytes, 32);
  head.writeUInt16LE(sampleBytes * 8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(size, 40);
  return head;
}

const mostHead = 4096;

/**
 * Offset of the samples in a WAV file; undefined if more bytes are needed, null if it is no WAV file or its header is
 * too long.
 */
export function samplesAt(file: Buffer): number | undefined | null {
  if (file.length < 12) return undefined;
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') return null;
  for (let at = 12; at < mostHead; at += 8 + file.readUInt32LE(at + 4)) {
    if (at + 8 > file.length) return undefined;
    if (file.toString('latin1', at, at + 4) === 'data') return at + 8;
  }
  return null;
}
