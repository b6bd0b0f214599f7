// Objects in S3-compatible storage: uploads in parts, downloads, deletions.
import { open, stat } from 'node:fs/promises';
import {
  answerText,
  createS3Client,
  errorCode,
  S3Error,
  type S3Place,
  type S3Request,
  type S3Times,
  type SendToS3,
} from '#server/transfer/s3-client.ts';

export interface S3 {
  /** Uploads a file; an interrupted upload leaves no parts. */
  upload(name: string, file: string, options: UploadOptions): Promise<void>;
  download(name: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  remove(name: string): Promise<void>;
}

interface UploadOptions {
  signal?: AbortSignal | undefined;
  /** Bytes uploaded, and all. */
  onProgress(done: number, all: number): void;
}

/** Parts have at least 5 MiB, and an object at most 10,000 of them. */
const partBytes = 8 * 1024 * 1024;
const mostParts = 9_000;

export function createS3(place: S3Place, times: S3Times = {}): S3 {
  const send = createS3Client(place, times);
  return {
    upload: (name, file, options) => upload(send, { name, file, options }),
    async download(name, signal) {
      const { body } = await send(name, { method: 'GET', signal });
      if (body === null) throw new S3Error('The service returns no content', { isRefusal: true });
      return body;
    },
    async remove(name) {
      await send(name, { method: 'DELETE' });
    },
  };
}

interface Upload {
  name: string;
  file: string;
  options: UploadOptions;
}

async function upload(send: SendToS3, { name, file, options }: Upload): Promise<void> {
  const { size } = await stat(file);
  const { signal } = options;
  const started = await answerText(await send(name, { method: 'POST', query: { uploads: '' }, signal }));
  const id = /<UploadId>([^<]+)<\/UploadId>/.exec(started)?.[1];
  if (id === undefined) throw new S3Error('The service does not start a multipart upload', { isRefusal: true });
  const uploadId = id.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  try {
    const tags = await uploadParts(send, { name, file, options, size, uploadId });
    await complete(send, { name, uploadId, tags, signal });
  } catch (error) {
    await send(name, { method: 'DELETE', query: { uploadId } }).catch(() => undefined);
    throw error;
  }
  const head = await send(name, { method: 'HEAD', signal });
  if (Number(head.headers.get('content-length')) !== size)
    throw new S3Error('The stored object has another size than the backup', { isRefusal: true });
}

/** Returns the tags of the parts. */
async function uploadParts(
  send: SendToS3,
  { name, file, options, size, uploadId }: Upload & { size: number; uploadId: string },
): Promise<string[]> {
  const { signal, onProgress } = options;
  const bytes = Math.max(partBytes, Math.ceil(size / mostParts));
  const tags: string[] = [];
  const handle = await open(file, 'r');
  try {
    for (let start = 0; start < size; start += bytes) {
      const body = new Uint8Array(Math.min(bytes, size - start));
      const { bytesRead } = await handle.read(body, 0, body.length, start);
      if (bytesRead !== body.length) throw new Error('The backup was changed while it was uploaded');
      const response = await send(name, { method: 'PUT', query: { partNumber: String(tags.length + 1), uploadId }, body, signal });
      await answerText(response);
      const tag = response.headers.get('etag');
      if (tag === null) throw new S3Error('The service returns no ETag for a part', { isRefusal: true });
      tags.push(tag);
      onProgress(start + body.length, size);
    }
  } finally {
    await handle.close();
  }
  return tags;
}

async function complete(
  send: SendToS3,
  { name, uploadId, tags, signal }: { name: string; uploadId: string; tags: readonly string[]; signal: AbortSignal | undefined },
): Promise<void> {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapedXml(tag)}</ETag></Part>`);
  const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const request: S3Request = { method: 'POST', query: { uploadId }, body, signal };
  let text: string;
  try {
    text = await answerText(await send(name, request));
  } catch (error) {
    // A repeated completion is refused if the first one was carried out; the size is checked afterwards.
    if (error instanceof S3Error && error.message.includes('NoSuchUpload')) return;
    throw error;
  }
  // A failure may come with status 200.
  if (text.includes('<Error>')) throw new S3Error(`The upload was not completed: ${errorCode(text) ?? 'error'}`, { isRefusal: true });
}

function escapedXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
