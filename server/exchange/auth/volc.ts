// Volcano Engine: signs requests with the key's secret. https://www.volcengine.com/docs/6369/67269
import type { SendRequest } from '#server/exchange/send.ts';
import { hashOf, hmac, sha256 } from './hashes.ts';
import { type Authorization, keyForm } from './scheme.ts';

const algorithm = 'HMAC-SHA256';

/** @param key `AccessKeyId|SecretAccessKey` */
export function volc(key: string, { region, service }: { region: string; service: string }): Authorization {
  const [id = '', secret = '', ...more] = key.split('|').map((part) => part.trim());
  if (id === '' || secret === '' || more.length > 0) return { headers: {}, problem: keyForm('AccessKeyId|SecretAccessKey') };
  const signed = <Request extends SendRequest>(request: Request, now: number, bodyHash: string): Request => {
    const { origin, path, method, headers } = request;
    const date = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = date.slice(0, 8);
    const named = {
      'content-type': headers['content-type'] ?? 'application/json',
      host: new URL(origin).host,
      'x-content-sha256': bodyHash,
      'x-date': date,
    };
    const names = Object.keys(named).join(';');
    const fields = Object.entries(named).map(([name, value]) => `${name}:${value}\n`);
    const [place = '/', query = ''] = path.split('?');
    const canonical = [method, place, sortedQuery(query), fields.join(''), names, bodyHash].join('\n');
    const scope = `${day}/${region}/${service}/request`;
    const signingKey = [region, service, 'request'].reduce(hmac, hmac(secret, day));
    const signature = hmac(signingKey, [algorithm, date, scope, sha256(canonical)].join('\n')).toString('hex');
    const authorization = `${algorithm} Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...request, headers: { ...headers, 'x-date': date, 'x-content-sha256': bodyHash, authorization } };
  };
  return {
    headers: {},
    problem: null,
    sign(request, { now }) {
      const hash = hashOf(request.body);
      return typeof hash === 'string' ? signed(request, now, hash) : hash.then((text) => signed(request, now, text));
    },
  };
}

function sortedQuery(query: string): string {
  return query.split('&').toSorted().join('&');
}
