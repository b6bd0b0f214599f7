// Caches of Gemini and Vertex AI in front of the fake upstream: calls that use one reach it without the cache's name.
import { startFakeVertex } from './fake-vertex.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

interface ProviderCache {
  name: string;
  body: Record<string, unknown>;
}

interface CacheDesk {
  caches: Map<string, ProviderCache>;
  requested: string[];
  /** Names of caches that calls used. */
  used: unknown[];
  /** The next ones get these; `lost`: it is done all the same. */
  failures: (number | 'lost')[];
}

export interface FakeGeminiCaches extends ProviderFront, CacheDesk {}

const key = 'AIza-operator';
export const cachedTokens = 100_000;
const refuse = (code: number, message: string): Judgement => ({
  kind: 'answer',
  status: code,
  body: { error: { code, message, status: 'INVALID_ARGUMENT' } },
});

export async function startFakeGeminiCaches(upstreamUrl: string): Promise<FakeGeminiCaches> {
  const { judge, ...desk } = openDesk({ root: '/v1beta/', parent: '', named: '', models: 'models/' });
  const front = await startFront(upstreamUrl, (request) => {
    if (request.headers['x-goog-api-key'] === key) return judge(request) ?? refuse(404, 'nothing there');
    desk.requested.push(`${request.method} ${request.path}`);
    return refuse(401, 'no such key');
  });
  return { ...front, channel: { type: 24, key }, ...desk };
}

/**
 * Caches are in a region of the project, are named by the project's number, and have the full name of their model. Cached contents have roles.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-create
 */
export async function startFakeVertexCaches(upstreamUrl: string): Promise<FakeGeminiCaches> {
  const region = 'europe-west1';
  const parent = `projects/proj-1/locations/${region}/`;
  const named = `projects/281474976710656/locations/${region}/`;
  const { judge, ...desk } = openDesk({ root: '/v1/', parent, named, models: `${parent}publishers/google/models/`, hasRoles: true });
  const front = await startFakeVertex(upstreamUrl, judge);
  return { ...front, channel: { ...front.channel, other: JSON.stringify({ default: region }) }, ...desk };
}

interface Home {
  root: string;
  /** Before `cachedContents` where they are created, and before it in their names. */
  parent: string;
  named: string;
  /** Before the bare name of a model. */
  models: string;
  hasRoles?: boolean;
}

function openDesk({ root, parent, named, models, hasRoles = false }: Home) {
  const caches = new Map<string, ProviderCache>();
  const requested: string[] = [];
  const used: unknown[] = [];
  const failures: CacheDesk['failures'] = [];
  const answer = (status: number, body: object): Judgement => ({ kind: 'answer', status, body });
  const reported = ({ name, body }: ProviderCache) => ({
    name,
    model: body['model'],
    displayName: body['displayName'],
    usageMetadata: { totalTokenCount: cachedTokens },
  });

  function judge({ method, path, body }: FrontedRequest): Judgement | undefined {
    requested.push(`${method} ${path}`);
    if (/\/models\/[^/]+:/.test(path)) {
      const { cachedContent, ...call } = jsonOf(body);
      if (typeof cachedContent === 'string' && !caches.has(cachedContent)) return refuse(403, 'CachedContent not found');
      if (cachedContent !== undefined) used.push(cachedContent);
      return { kind: 'pass', path, body: call };
    }
    if (!path.startsWith(root)) return undefined;
    const failure = failures.shift();
    if (typeof failure === 'number') return refuse(failure, 'as was told');
    const address = new URL(path, 'http://there');
    const name = address.pathname.slice(root.length);
    const isList = name === `${parent}cachedContents`;
    if (isList && method === 'POST') {
      const sent = jsonOf(body);
      const made = { name: `${named}cachedContents/theirs${caches.size}`, body: sent };
      if (!/^\d+s$/.test(String(sent['ttl']))) return refuse(400, 'no ttl');
      if (!new RegExp(`^${models}[\\w.-]+$`).test(String(sent['model'])))
        return refuse(400, `Invalid model resource name ${String(sent['model'])}`);
      if (hasRoles && !rolesAreRight(sent['contents'])) return refuse(400, 'Please use a valid role: user, model.');
      caches.set(made.name, made);
      return failure === 'lost' ? refuse(500, 'lost') : answer(200, reported(made));
    }
    if (isList) {
      const all = [...caches.values()];
      const from = Number(address.searchParams.get('pageToken') ?? 0);
      const more = from + 2 < all.length ? { nextPageToken: String(from + 2) } : {};
      return answer(200, { cachedContents: all.slice(from, from + 2).map(reported), ...more });
    }
    const cache = caches.get(name);
    if (cache === undefined) return refuse(403, 'not found');
    if (method === 'PATCH') {
      if (address.search !== '?updateMask=expireTime') return refuse(400, 'no mask');
      cache.body['expireTime'] = jsonOf(body)['expireTime'];
    }
    if (method === 'DELETE') caches.delete(name);
    return answer(200, method === 'DELETE' ? {} : reported(cache));
  }
  return { judge, caches, requested, used, failures };
}

function rolesAreRight(contents: unknown = []): boolean {
  return Array.isArray(contents) && contents.every((one) => isObject(one) && (one['role'] === 'user' || one['role'] === 'model'));
}
