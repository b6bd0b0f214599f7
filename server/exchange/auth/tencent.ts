// Tencent Cloud: signs requests with a secret (TC3-HMAC-SHA256). https://cloud.tencent.com/document/product/1729/101843
import type { SendRequest } from '#server/exchange/send.ts';
import { hashOf, hmac, sha256 } from './hashes.ts';
import { type Authorization, keyForm } from './scheme.ts';

const algorithm = 'TC3-HMAC-SHA256';

/**
 * @param key `AppId|SecretId|SecretKey`; the AppId is optional
 * @param service `hunyuan`
 */
export function tencent(key: string, service: string): Authorization {
  const parts = key.split('|').map((part) => part.trim());
  const [id = '', secret = ''] = parts.slice(-2);
  if (parts.length < 2 || parts.length > 3 || id === '' || secret === '') {
    return { headers: {}, problem: keyForm('AppId|SecretId|SecretKey') };
  }
  const sign = signer(id, secret, service);
  return {
    headers: {},
    problem: null,
    sign(request, { now }) {
      const hash = hashOf(request.body);
      return typeof hash === 'string' ? sign(request, now, hash) : hash.then((text) => sign(request, now, text));
    },
  };
}

function signer(
  id: string,
  secret: string,
  service: string,
): <Request extends SendRequest>(request: Request, now: number, bodyHash: string) => Request {
  return (request, now, bodyHash) => {
    const { origin, path, method, headers } = request;
    const seconds = Math.floor(now / 1000);
    const day = new Date(now).toISOString().slice(0, 10);
    const signed = { 'content-type': headers['content-type'], host: new URL(origin).host, 'x-tc-action': headers['x-tc-action'] };
    const names = Object.keys(signed).join(';');
    const fields = Object.entries(signed).map(([name, value = '']) => `${name}:${value.trim().toLowerCase()}\n`);
    const [place = '/', query = ''] = path.split('?');
    const canonical = [method, place, query, fields.join(''), names, bodyHash].join('\n');
    const scope = `${day}/${service}/tc3_request`;
    const keyOfDay = [service, 'tc3_request'].reduce(hmac, hmac(`TC3${secret}`, day));
    const signature = hmac(keyOfDay, [algorithm, seconds, scope, sha256(canonical)].join('\n')).toString('hex');
    const authorization = `${algorithm} Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...request, headers: { ...headers, 'x-tc-timestamp': String(seconds), authorization } };
  };
}
