// AWS: signs requests with a secret access key, or sends an API key of Bedrock.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { type AwsKey, readAwsKey } from '#shared/aws-key.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { hashOf, hmac, sha256 } from './hashes.ts';
import { type Authorization, keyForm } from './scheme.ts';

const algorithm = 'AWS4-HMAC-SHA256';

/** @param service `bedrock` */
export function aws(text: string, service: string): Authorization {
  const key = readAwsKey(text);
  if (key === null)
    return {
      headers: {},
      problem: keyForm({
        zh: 'AccessKeyId|SecretAccessKey|Region 或 ApiKey|Region',
        en: 'AccessKeyId|SecretAccessKey|Region or ApiKey|Region',
      }),
    };
  if (key.type === 'api_key') return { headers: { authorization: `Bearer ${key.key}` }, problem: null };
  const sign = signer(key, service);
  return {
    headers: {},
    problem: null,
    sign(request, { now }) {
      const hash = hashOf(request.body);
      return typeof hash === 'string' ? sign(request, now, hash) : hash.then((reported) => sign(request, now, reported));
    },
  };
}

function signer(
  key: Extract<AwsKey, { type: 'access_key' }>,
  service: string,
): <Request extends SendRequest>(request: Request, now: number, bodyHash: string) => Request {
  const keyOf = signingKeys(key, service);
  return (request, now, bodyHash) => {
    // 20231114T221320Z
    const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const dated: Record<string, string> = { ...request.headers, 'x-amz-date': time };
    if (key.sessionToken !== undefined) dated['x-amz-security-token'] = key.sessionToken;
    const scope = `${day}/${key.region}/${service}/aws4_request`;
    const { names, text: canonical } = canonicalRequest({ ...request, headers: dated }, bodyHash);
    const signature = hmac(keyOf(day), [algorithm, time, scope, sha256(canonical)].join('\n')).toString('hex');
    const authorization = `${algorithm} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...request, headers: { ...dated, authorization } };
  };
}

/** Returns the signing key of a day, cached. */
function signingKeys({ secretAccessKey, region }: Extract<AwsKey, { type: 'access_key' }>, service: string): (day: string) => Buffer {
  let made: { day: string; key: Buffer } | undefined;
  return (day) => {
    if (made?.day !== day) {
      const ofDay = hmac(`AWS4${secretAccessKey}`, day);
      made = { day, key: [region, service, 'aws4_request'].reduce(hmac, ofDay) };
    }
    return made.key;
  };
}

/** Headers that proxies may change are not signed. */
const signedNames = new Set(['content-type', 'x-amz-date', 'x-amz-security-token']);

function canonicalRequest({ method, origin, path, headers }: SendRequest, bodyHash: string): { names: string; text: string } {
  const signed = Object.entries(headers).filter(([name]) => signedNames.has(name));
  const lines = [['host', new URL(origin).host] as const, ...signed].sort(([a], [b]) => compare(a, b));
  const names = lines.map(([name]) => name).join(';');
  const fields = lines.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`).join('');
  const mark = path.indexOf('?');
  const [place, query] = mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)];
  return { names, text: [method, escapedPath(place), canonicalQuery(query), fields, names, bodyHash].join('\n') };
}

/** Escapes the escaped path once more, as all services but S3 require. */
function escapedPath(path: string): string {
  return path.split('/').map(escaped).join('/');
}

/** Sorts parameters by escaped name, then by escaped value. */
function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => [escaped(name), escaped(value)] as const);
  return pairs
    .sort(([a, left], [b, right]) => compare(a, b) || compare(left, right))
    .map((pair) => pair.join('='))
    .join('&');
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
