// Smallest sound that tests a transcription model: a second of silence.
import { multipartBody } from '#server/formats/multipart-body.ts';
import { sourceOf } from '#server/framing/byte-source.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { measuredSound } from './input-audio.ts';
import { wavHead } from './wav-head.ts';

const [rate, sampleBytes] = [8000, 2];

export function testSound(model: string): Record<string, unknown> {
  const file = new MultipartFile({ filename: 'silence.wav', type: 'audio/wav', content: sourceOf(silence(rate * sampleBytes)) });
  return multipartBody({ model, file: [measuredSound(file, 1)] }, 'tidegate-test-sound');
}

function silence(size: number): Buffer {
  return Buffer.concat([wavHead(rate, size), Buffer.alloc(size)]);
}
