// `cachedContents` routes, for Gemini and Vertex. https://ai.google.dev/api/caching
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { checkMeans } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createServer, type StoredAnswer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { findCache, listCaches, mostCaches, presentCache } from './cache-store.ts';
import { changeCache } from './change-cache.ts';
import { createCache } from './create-cache.ts';
import { leaveCache } from './leave-cache.ts';
import { readCache, readChange } from './read-cache-request.ts';

const [defaultLimit, largestLimit] = [50, 1000];

export function mountContextCaches(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const serve = createServer(host, services, surfaces.gemini);
  const whereAllowed = (work: (caller: StoredCaller) => Promise<StoredAnswer>) =>
    serve((caller) => {
      if (mostCaches(context) === 0) throw new AppError('verb_unknown', { path: caller.path });
      return work(caller);
    });
  const cacheOf = (caller: StoredCaller) => findCache(context, caller, caller.params['cache'] ?? '');

  const create = whereAllowed(async (caller) => {
    await checkMeans(services, caller.admission);
    return { json: presentCache(await createCache(services, caller, readCache(await caller.readBody(), context.now()))) };
  });
  const list = whereAllowed(async (caller) => {
    const limit = limitIn(caller.query);
    const found = await listCaches(context, caller, { limit, after: caller.query.get('pageToken') || undefined });
    const shown = found.slice(0, limit);
    const next = found.length > limit ? shown.at(-1)?.id : undefined;
    return { json: { cachedContents: shown.map(presentCache), ...(next === undefined ? {} : { nextPageToken: next }) } };
  });
  const read = whereAllowed(async (caller) => ({ json: presentCache(await cacheOf(caller)) }));
  const change = whereAllowed(async (caller) => {
    const until = readChange(await caller.readBody(), context.now());
    return { json: presentCache(await changeCache(services, caller, { cache: await cacheOf(caller), until })) };
  });
  const remove = whereAllowed(async (caller) => {
    const cache = await cacheOf(caller);
    const left = await leaveCache(context, cache, { at: Math.floor(context.now() / 1000) });
    if (left === null) throw new AppError('context_cache_busy', { id: cache.id });
    return { json: {} };
  });
  // Google's SDKs use either version.
  for (const path of ['/v1beta/cachedContents', '/v1/cachedContents']) {
    host.addDirect('POST', path, create);
    host.addDirect('GET', path, list);
    host.addDirect('GET', `${path}/:cache`, read);
    host.addDirect('PATCH', `${path}/:cache`, change);
    host.addDirect('DELETE', `${path}/:cache`, remove);
  }
}

function limitIn(query: URLSearchParams): number {
  const limit = Number(query.get('pageSize') || defaultLimit);
  if (!Number.isInteger(limit) || limit < 1) throw badField('pageSize', fieldRules.wholeBetween(1, largestLimit));
  return Math.min(limit, largestLimit);
}
