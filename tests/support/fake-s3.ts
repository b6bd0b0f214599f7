// S3-compatible storage that verifies signatures with AWS's own package, path-style, in memory.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '#tests/support/aws-oracle.ts';

export const s3Access = { accessKey: 'AKIATEST', secretKey: 'the secret key of the storage', region: 'eu-test-1', bucket: 'backups' };

export interface FakeS3 {
  url: string;
  objects: Map<string, Buffer>;
  /** Uploads that were neither completed nor aborted. */
  uploads: Map<string, Map<number, Buffer>>;
  /** `METHOD path` of each request with a valid signature. */
  requests: string[];
  /** Response instead of the usual one: the status, or `cut` for a broken connection. */
  fault?: (request: { method: string; path: string; query: URLSearchParams }) => number | 'cut' | undefined;
  close(): Promise<void>;
}

export async function startFakeS3(): Promise<FakeS3> {
  const fake: FakeS3 = { url: '', objects: new Map(), uploads: new Map(), requests: [], close: async () => {} };
  const server = createServer((request, response) => {
    void serve(fake, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  fake.url = `http://127.0.0.1:${address.port}`;
  fake.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return fake;
}

async function serve(fake: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { method = 'GET' } = request;
  const url = new URL(request.url ?? '/', fake.url);
  const refuse = (status: number, code: string) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
  if (!(await isSigned(request, url, body))) return void refuse(403, 'SignatureDoesNotMatch');
  const query = url.searchParams;
  const fault = fake.fault?.({ method, path: url.pathname, query });
  if (fault === 'cut') return void request.socket.destroy();
  if (fault !== undefined) return void refuse(fault, fault === 403 ? 'AccessDenied' : 'InternalError');
  fake.requests.push(`${method} ${url.pathname}`);
  const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
  if (bucket !== s3Access.bucket) return void refuse(404, 'NoSuchBucket');
  const key = rest.join('/');
  const id = query.get('uploadId');
  if (query.has('uploads')) {
    const made = `upload<${fake.uploads.size}>&`;
    fake.uploads.set(made, new Map());
    return void response.end(
      `<r><UploadId>${made.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</UploadId></r>`,
    );
  }
  if (id !== null) {
    const parts = fake.uploads.get(id);
    if (parts === undefined) return void refuse(404, 'NoSuchUpload');
    if (method === 'PUT') {
      parts.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: tagOf(body) }).end();
    }
    fake.uploads.delete(id);
    if (method === 'DELETE') return void response.writeHead(204).end();
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)];
    const found = named.map(([, number, tag]) => {
      const part = parts.get(Number(number));
      return part !== undefined && tag?.replaceAll('&quot;', '"') === tagOf(part) ? part : undefined;
    });
    if (found.length !== parts.size || found.includes(undefined)) return void response.end('<Error><Code>InvalidPart</Code></Error>');
    fake.objects.set(key, Buffer.concat(found.filter((part) => part !== undefined)));
    return void response.end('<CompleteMultipartUploadResult/>');
  }
  const object = fake.objects.get(key);
  if (method === 'DELETE') {
    fake.objects.delete(key);
    return void response.writeHead(204).end();
  }
  if (object === undefined) return void refuse(404, 'NoSuchKey');
  response.writeHead(200, { 'content-length': object.length });
  response.end(method === 'HEAD' ? undefined : object);
}

function tagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

async function isSigned(request: IncomingMessage, url: URL, body: Buffer): Promise<boolean> {
  const { authorization = '' } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]));
  const time = headers['x-amz-date'] ?? '';
  const hash = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== hash) return false;
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = s3Access;
  const signer = new SignatureV4({
    service: 's3',
    region,
    sha256: Sha256,
    credentials: { accessKeyId, secretAccessKey },
    uriEscapePath: false,
    applyChecksum: false,
  });
  const query = Object.fromEntries(url.searchParams);
  const { method = 'GET' } = request;
  const signingDate = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const expected = await signer.sign(
    { method, protocol: 'http:', hostname: url.hostname, path: url.pathname, query, headers, body },
    { signingDate },
  );
  return expected.headers['authorization']?.replaceAll(' ', '') === authorization.replaceAll(' ', '');
}
