// The vectors of AWS's signatures and frames.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const SignatureVector = z.object({
  scheme: z.literal('AWS4-HMAC-SHA256'),
  name: z.string(),
  now_unix: z.int(),
  input: z.object({
    key: z.string(),
    method: z.literal('POST'),
    host: z.string(),
    raw_path: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  output: z.object({ authorization: z.string(), 'x-amz-date': z.string() }),
});
export type SignatureVector = z.infer<typeof SignatureVector>;

const FrameVector = z.object({
  scheme: z.literal('application/vnd.amazon.eventstream'),
  output: z.object({ frame_hex: z.string() }),
});

const all = z
  .array(z.discriminatedUnion('scheme', [SignatureVector, FrameVector]))
  .parse(JSON.parse(readFileSync(new URL('../fixtures/provider-vectors/aws-signatures.json', import.meta.url), 'utf8')));

export function readSignatureVectors(): SignatureVector[] {
  return all.filter((vector) => vector.scheme === 'AWS4-HMAC-SHA256');
}

/** An event, and an exception. */
export function readFrameVectors(): [Buffer, Buffer] {
  const frames = all.filter((vector) => vector.scheme !== 'AWS4-HMAC-SHA256').map(({ output }) => Buffer.from(output.frame_hex, 'hex'));
  const [event, exception] = frames;
  if (event === undefined || exception === undefined) throw new Error('The vectors are not there');
  return [event, exception];
}
