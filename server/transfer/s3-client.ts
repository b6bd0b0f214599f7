// Signed requests to S3-compatible storage, repeated while the service is busy or cannot be reached. Addresses are path-style,
// which every such service supports. https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { withoutTrailing } from '#shared/trailing.ts';

export interface S3Place {
  /** Base URL of the service. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Before each name, without slashes at its ends; may be empty. */
  prefix: string;
  accessKey: string;
  secretKey: string;
}

/** The service refuses a request, or cannot be reached; the message has no secret. */
export class S3Error extends Error {
  readonly isRefusal: boolean;
  constructor(message: string, { isRefusal, cause }: { isRefusal: boolean; cause?: unknown }) {
    super(message, { cause });
    this.name = 'S3Error';
    this.isRefusal = isRefusal;
  }
}

const attempts = 5;
const requestTimeoutMs = 120_000;
/** Bytes of an answer that are read, except those of a download. */
const longestAnswer = 1_000_000;
const firstPauseMs = 500;

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  query?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal | undefined;
}

/** Sends a request about an object. @throws {S3Error} */
export type SendToS3 = (name: string, request: S3Request) => Promise<Response>;

export interface S3Times {
  /** Before the first retry; doubled each time. */
  pauseMs?: number;
  /** Deadline of a request; that of a download ends when the content begins. */
  requestMs?: number;
}

export function createS3Client(place: S3Place, { pauseMs = firstPauseMs, requestMs = requestTimeoutMs }: S3Times = {}): SendToS3 {
  const client = new AwsClient({
    accessKeyId: place.accessKey,
    secretAccessKey: place.secretKey,
    region: place.region,
    service: 's3',
    retries: 0,
  });
  return async (name, request) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(client, { place, name, request, requestMs });
      } catch (error) {
        if (!(error instanceof S3Error) || error.isRefusal || attempt === attempts) throw error;
        await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal: request.signal });
      }
    }
  };
}

async function sendOnce(
  client: AwsClient,
  { place, name, request, requestMs }: { place: S3Place; name: string; request: S3Request; requestMs: number },
): Promise<Response> {
  const { method, query, body, signal } = request;
  const hash = createHash('sha256');
  const headers = { 'x-amz-content-sha256': hash.update(body ?? '').digest('hex') };
  const signed = await client.sign(addressOf(place, name, query), { method, headers, ...(body === undefined ? {} : { body }) });
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new DOMException('no answer in time', 'TimeoutError')), requestMs);
  timer.unref();
  try {
    const response = await fetch(signed, {
      redirect: 'error',
      signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
    });
    // A download takes as long as its reader.
    if (response.ok && method === 'GET') clearTimeout(timer);
    if (response.ok) return response;
    const code = errorCode(await answerText(response));
    throw new S3Error(`${method} ${place.bucket}: HTTP ${response.status}${code === undefined ? '' : ` ${code}`}`, {
      isRefusal: response.status < 500 && response.status !== 429 && response.status !== 408,
    });
  } catch (cause) {
    if (cause instanceof S3Error) throw cause;
    signal?.throwIfAborted();
    throw new S3Error(`${new URL(place.endpoint).host} cannot be reached: ${reasonOf(cause)}`, { isRefusal: false, cause });
  }
}

function addressOf(place: S3Place, name: string, query: Record<string, string> = {}): string {
  const key = [place.bucket, ...place.prefix.split('/'), name].filter((part) => part !== '').map(encodeURIComponent);
  const url = new URL(`${withoutTrailing(place.endpoint, '/')}/${key.join('/')}`);
  for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value);
  return url.href;
}

/** Text of an answer, of which no more than its beginning is read. */
export async function answerText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= longestAnswer) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Code in the XML of an error. */
export function errorCode(text: string): string | undefined {
  return /<Code>([\w.]{1,100})<\/Code>/.exec(text)?.[1];
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (inner instanceof Error) return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.message.slice(0, 200);
  return String(inner).slice(0, 200);
}
