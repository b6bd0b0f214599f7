// The smallest sound that shows whether a model hears: a second of silence.
import { formBody } from '#server/dialects/form-body.ts';
import { sourceOf } from '#server/framing/byte-source.ts';
import { FormFile } from '#server/framing/form-data.ts';
import { measuredSound } from './heard-sound.ts';

const [rate, sampleBytes] = [8000, 2];

export function testSound(model: string): Record<string, unknown> {
  const file = new FormFile({ filename: 'silence.wav', type: 'audio/wav', content: sourceOf(silence(rate * sampleBytes)) });
  return formBody({ model, file: [measuredSound(file, 1)] }, 'tidegate-test-sound');
}

/** http://soundfile.sapp.org/doc/WaveFormat/ */
function silence(size: number): Buffer {
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
  return Buffer.concat([head, Buffer.alloc(size)]);
}
