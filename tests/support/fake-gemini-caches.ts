// Gemini's caches before the fake upstream: calls that go on from one reach it without the name.
import { jsonOf, startFront } from './provider-front.ts';
import type { FrontedRequest, Judgement, ProviderFront } from './provider-front.ts';

interface ProviderCache {
  name: string;
  body: Record<string, unknown>;
}

export interface FakeGeminiCaches extends ProviderFront {
  caches: Map<string, ProviderCache>;
  asked: string[];
  /** Names of caches that calls went on from. */
  used: unknown[];
  /** The next ones get these; `lost`: it is done all the same. */
  failures: (number | 'lost')[];
}

const key = 'AIza-operator';
export const cachedTokens = 100_000;

export async function startFakeGeminiCaches(upstreamUrl: string): Promise<FakeGeminiCaches> {
  const caches = new Map<string, ProviderCache>();
  const asked: string[] = [];
  const used: unknown[] = [];
  const failures: FakeGeminiCaches['failures'] = [];
  const answer = (status: number, body: object): Judgement => ({ kind: 'answer', status, body });
  const refuse = (code: number, message: string) => answer(code, { error: { code, message, status: 'INVALID_ARGUMENT' } });
  const told = ({ name, body }: ProviderCache) => ({
    name,
    model: body['model'],
    displayName: body['displayName'],
    usageMetadata: { totalTokenCount: cachedTokens },
  });

  function judge({ method, path, headers, body }: FrontedRequest): Judgement {
    asked.push(`${method} ${path}`);
    if (headers['x-goog-api-key'] !== key) return refuse(401, 'no such key');
    if (path.includes('/models/')) {
      const { cachedContent, ...call } = jsonOf(body);
      if (typeof cachedContent === 'string' && !caches.has(cachedContent)) return refuse(403, 'CachedContent not found');
      if (cachedContent !== undefined) used.push(cachedContent);
      return { kind: 'pass', path, body: call };
    }
    const failure = failures.shift();
    if (typeof failure === 'number') return refuse(failure, 'as was told');
    const address = new URL(path, 'http://there');
    const name = address.pathname.slice('/v1beta/'.length);
    if (name === 'cachedContents' && method === 'POST') {
      const sent = jsonOf(body);
      const made = { name: `cachedContents/theirs${caches.size}`, body: sent };
      if (!/^\d+s$/.test(String(sent['ttl'])) || !String(sent['model']).startsWith('models/')) return refuse(400, 'no ttl or model');
      caches.set(made.name, made);
      return failure === 'lost' ? refuse(500, 'lost') : answer(200, told(made));
    }
    if (name === 'cachedContents') {
      const all = [...caches.values()];
      const from = Number(address.searchParams.get('pageToken') ?? 0);
      const more = from + 2 < all.length ? { nextPageToken: String(from + 2) } : {};
      return answer(200, { cachedContents: all.slice(from, from + 2).map(told), ...more });
    }
    const cache = caches.get(name);
    if (cache === undefined) return refuse(403, 'not found');
    if (method === 'PATCH' && address.search === '?updateMask=expireTime') cache.body['expireTime'] = jsonOf(body)['expireTime'];
    if (method === 'DELETE') caches.delete(name);
    return answer(200, method === 'DELETE' ? {} : told(cache));
  }

  const front = await startFront(upstreamUrl, judge);
  return { ...front, channel: { type: 24, key }, caches, asked, used, failures };
}
