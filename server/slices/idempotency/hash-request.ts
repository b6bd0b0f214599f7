// Identity of a request: equal for a repetition by the same client, different for any other path, field or file.
import { createHash, type Hash } from 'node:crypto';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import { PiecedBody } from '#server/framing/byte-source.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { stepByStep } from '#server/queues/step-by-step.ts';

/** Bytes of a body that is hashed at once. */
const shortBytes = 256 * 1024;

/** SHA-256 as base64url. A form counts by its fields and files, whatever separates its parts. */
export async function hashRequest(
  url: string,
  { content, received = content.body }: Pick<AdmittedCall, 'content' | 'received'>,
): Promise<string> {
  const hash = createHash('sha256').update(`${url}\n`);
  const files: MultipartFile[] = [];
  if (content.bytes <= shortBytes) hash.update(JSON.stringify(received, collect(files)));
  else await hashLong(hash, received, files);
  for (const { filename, type, content: source } of files) {
    hash.update(`\n${JSON.stringify([filename, type, source.size])}\n`);
    for await (const piece of new PiecedBody([source]).open()) hash.update(piece);
  }
  return hash.digest('base64url');
}

/** Replaces files by their number. */
function collect(files: MultipartFile[]): (key: string, value: unknown) => unknown {
  return (_key, value) => (value instanceof MultipartFile ? files.push(value) : value);
}

/** In steps that yield to the event loop. */
async function hashLong(hash: Hash, body: Readonly<Record<string, unknown>>, files: MultipartFile[]): Promise<void> {
  const fields = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withoutFiles(value, files)]));
  const written = new LongTexts().body(fields);
  const measuring = written.measure();
  if (measuring !== null) await stepByStep(measuring);
  for await (const piece of written.open()) hash.update(piece);
}

/** Files are fields of a form, or entries of one. */
function withoutFiles(value: unknown, files: MultipartFile[]): unknown {
  if (value instanceof MultipartFile) return files.push(value);
  return Array.isArray(value) && value[0] instanceof MultipartFile ? value.map((one) => withoutFiles(one, files)) : value;
}
